#!/bin/sh
# Make a virtual environment with Python 3.11 or newer, unless a working one is there.
# usage: sh tools/venv.sh FOLDER [PYTHON]
set -eu

folder=$1
wanted=${2:-}

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

version() {
    "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null
}

recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

choose() {
    for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if recent "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer is needed, and there is none on the PATH (python3 is $(version python3 || echo missing))." \
        "Install one, or name it: make app PYTHON=/path/to/python3.12"
}

if [ -n "$wanted" ]; then
    version "$wanted" >/dev/null || fail "PYTHON=$wanted does not run. Give the name or path of a Python 3.11 or newer."
    recent "$wanted" || fail "PYTHON=$wanted is Python $(version "$wanted"); 3.11 or newer is needed."
fi

# Programs in an environment hold its path, so one that was copied or moved is made anew, as is one whose Python is gone.
place=$(cat "$folder/.place" 2>/dev/null || true)
if [ "$place" = "$PWD" ] && recent "$folder/bin/python" && "$folder/bin/python" -c 'import pip' 2>/dev/null; then
    if [ -z "$wanted" ] || [ "$(version "$wanted")" = "$(version "$folder/bin/python")" ]; then
        exit 0
    fi
fi

python=${wanted:-$(choose)}
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    fail "Python $(version "$python") cannot make a virtual environment here: its modules venv and ensurepip are not installed." \
        "On Debian and Ubuntu they come with:  apt-get install python$(version "$python")-venv  (with sudo unless you are root)." \
        "Then run make again, or name another Python: make app PYTHON=/path/to/python3.12"
fi
echo "Making $folder with Python $(version "$python")."
rm -rf "$folder"
"$python" -m venv "$folder"
echo "$PWD" >"$folder/.place"
