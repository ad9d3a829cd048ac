"""What `make` runs to get a virtual environment and a browser, on machines that lack something."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def venv_script(folder, *arguments, path, cwd=ROOT):
    """Run tools/venv.sh with nothing but `path` to find programs in."""
    command = [shutil.which("sh"), str(ROOT / "tools/venv.sh"), str(folder), *arguments]
    return subprocess.run(command, env={"PATH": str(path)}, cwd=cwd, capture_output=True, text=True, check=False)


def program(folder, name, text):
    """Put a small program into a folder."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!{shutil.which('sh')}\n{text}\n")
    file.chmod(0o755)
    return file


# A Python 3.9 as far as the script can tell: it prints its version, and fails what asks for a newer one.
OLD_PYTHON = 'case "$2" in *print*) echo 3.9 ;; *) exit 1 ;; esac'
# A Python 3.12 that lacks ensurepip, as Debian's does without python3.12-venv.
BARE_PYTHON = 'case "$2" in *ensurepip*) exit 1 ;; *print*) echo 3.12 ;; esac'

# A Python that makes "environments" which hold nothing but itself.
QUICK_PYTHON = """case "$1 $2" in
    "-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
    *print*) echo VERSION ;;
esac"""


def test_environment_is_made_once_and_again_after_a_move_or_for_another_python(tmp_path):
    folder, place = tmp_path / "env", tmp_path / "elsewhere"
    place.mkdir()
    program(tmp_path / "bin", "python3", QUICK_PYTHON.replace("VERSION", "3.12"))
    program(tmp_path / "bin", "newer", QUICK_PYTHON.replace("VERSION", "3.13"))
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"

    assert venv_script(folder, path=path).stdout == f"Making {folder} with Python 3.12.\n"
    assert venv_script(folder, path=path).stdout == ""
    assert venv_script(folder, "python3", path=path).stdout == ""
    assert venv_script(folder, "newer", path=path).stdout == f"Making {folder} with Python 3.13.\n"
    assert venv_script(folder, path=path).stdout == "", "without a wish the environment that is there will do"
    assert venv_script(folder, path=path, cwd=place).stdout == f"Making {folder} with Python 3.12.\n"


def test_too_old_python_is_named(tmp_path):
    program(tmp_path / "bin", "python3", OLD_PYTHON)
    done = venv_script(tmp_path / "env", path=tmp_path / "bin")
    assert done.returncode == 1
    assert "Python 3.11 or newer is needed" in done.stderr
    assert "python3 is 3.9" in done.stderr
    assert "PYTHON=" in done.stderr


def test_no_python_is_named(tmp_path):
    done = venv_script(tmp_path / "env", path=tmp_path)
    assert done.returncode == 1
    assert "python3 is missing" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"), [(OLD_PYTHON, "is Python 3.9; 3.11 or newer"), ("exit 127", "does not run")]
)
def test_a_chosen_python_that_will_not_do_is_refused(tmp_path, text, words):
    chosen = program(tmp_path / "bin", "mine", text)
    done = venv_script(tmp_path / "env", str(chosen), path=tmp_path / "bin")
    assert done.returncode == 1
    assert words in done.stderr


def test_missing_ensurepip_says_what_to_install(tmp_path):
    program(tmp_path / "bin", "python3", BARE_PYTHON)
    done = venv_script(tmp_path / "env", path=tmp_path / "bin")
    assert done.returncode == 1
    assert "apt-get install python3.12-venv" in done.stderr


def browser_script(path, **variables):
    """Run tools/browser.py with nothing but `path` to find programs in, and no browser of Playwright's."""
    environment = {"PATH": str(path), "PLAYWRIGHT_BROWSERS_PATH": str(path / "none"), **variables}
    return subprocess.run(
        [sys.executable, str(ROOT / "tools/browser.py")], env=environment, capture_output=True, text=True, check=False
    )


def test_browser_on_the_path_is_used_if_it_runs(tmp_path):
    program(tmp_path / "bin", "chromium", "exit 1")
    good = program(tmp_path / "bin", "google-chrome", "echo Chrome")
    done = browser_script(tmp_path / "bin")
    assert (done.returncode, done.stdout.strip()) == (0, str(good))


def test_a_shell_without_windows_comes_first(tmp_path):
    program(tmp_path / "bin", "chromium", "echo Chromium")
    shell = program(tmp_path / "bin", "chromium-headless-shell", "echo Chromium")
    assert browser_script(tmp_path / "bin").stdout.strip() == str(shell)


def test_named_browser_is_used_or_refused(tmp_path):
    named = program(tmp_path / "bin", "mine", "echo mine")
    assert browser_script(tmp_path, PROSET_BROWSER=str(named)).stdout.strip() == str(named)
    assert browser_script(tmp_path, PROSET_BROWSER="none").stdout.strip() == "none"
    refused = browser_script(tmp_path, PROSET_BROWSER=str(tmp_path / "absent"))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "does not run" in refused.stderr


@pytest.mark.slow
@pytest.mark.parametrize("package", ["chromium-headless-shell", "chromium"])
def test_browser_is_installed_with_apt_where_it_may_be(tmp_path, package):
    folder = tmp_path / "bin"
    for name in ("sh", "chmod", "cp"):
        program(folder, name, f'exec {shutil.which(name)} "$@"')
    ready = program(tmp_path, "ready", "echo Chromium")
    asked = f"install -y -qq --no-install-recommends {package}"
    program(
        folder, "apt-get", f'case "$*" in update*) ;; "{asked}") cp {ready} {folder}/{package} ;; *) exit 1 ;; esac'
    )
    program(folder, "sudo", 'while [ "$1" = -n ]; do shift; done; [ "$1" = true ] || exec "$@"')
    done = browser_script(folder)
    assert (done.returncode, done.stdout.strip()) == (0, str(folder / package))
    assert "No browser found; running" in done.stderr


# A pip or uv that notes what it is asked for, and "installs" TensorFlow or has no files of it.
NOTING = """
import os, pathlib, shutil, sys
here = pathlib.Path(__file__).parents[1]
if "config" in sys.argv:
    print(os.environ.get("CONFIGURED", "env:.timeout='60'"))
    sys.exit()
name = pathlib.Path(__file__).parent.name
with (here / "asked").open("a") as file:
    print(name, *sys.argv[1:], file=file)
if sys.argv[-1] == "uv":
    if not (here / "to_be_had").exists():
        sys.exit("No matching distribution found for uv")
    shutil.copytree(here / "to_be_had", here, dirs_exist_ok=True)
    sys.exit()
if name == "uv" and os.environ.get("UV") == "fails":
    sys.exit(2)
if "tensorflow" in sys.argv[-1]:
    if os.environ["FILES"] == "none":
        sys.exit("No matching distribution found for tensorflow-cpu")
    folder = here / "tensorflow_cpu-2.21.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\\nName: tensorflow-cpu\\nVersion: 2.21.0\\n")
if sys.argv[-1] == ".[broken]":
    sys.exit(3)
"""
PACKAGES = ["setuptools", ".[app]", ".[tensorflow-cpu]"]


@pytest.fixture
def install_script(tmp_path):
    """Run tools/install.py in an empty environment whose pip, uv and proset only note what they are asked for."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    for name, text in (("pip", NOTING), ("proset", "print('compiled')"), ("to_be_had/uv", NOTING)):
        (tmp_path / "modules" / name).mkdir(parents=True)
        (tmp_path / "modules" / name / "__main__.py").write_text(text)

    def run(extra, files, *, uv=False, **variables):
        if not uv:
            shutil.rmtree(tmp_path / "modules/to_be_had")
        environment = os.environ | {"PYTHONPATH": str(tmp_path / "modules"), "FILES": files} | variables
        command = [tmp_path / "env/bin/python", ROOT / "tools/install.py", extra]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        asked = [line.split() for line in (tmp_path / "modules/asked").read_text().splitlines()]
        return done, [(words[0], words[-1]) for words in asked]

    return run


def test_tensorflow_comes_with_the_rest_where_it_has_files(install_script):
    done, asked = install_script("app", "some")
    assert (done.returncode, asked) == (0, [("pip", name) for name in ("uv", *PACKAGES)])
    assert "compiled" in done.stdout
    assert done.stdout.endswith("Installed: tensorflow-cpu 2.21.0.\n")


def test_what_is_installed_is_compiled_but_for_tests_of_strangers(install_script, tmp_path):
    packages = next((tmp_path / "env/lib").glob("python*/site-packages"))
    for folder in ("some", "some/tests"):
        (packages / folder).mkdir()
        (packages / folder / "module.py").write_text("pass")
    done, _ = install_script("app", "none")
    assert (packages / "some/__pycache__").is_dir()
    assert not (packages / "some/tests/__pycache__").exists()
    assert "compileall" not in done.stderr


def test_without_files_of_tensorflow_everything_else_is_installed(install_script):
    done, asked = install_script("app", "none")
    assert (done.returncode, asked) == (0, [("pip", name) for name in ("uv", *PACKAGES)])
    assert "compiled" in done.stdout
    assert "TensorFlow is not installed: it has no files for Python" in done.stdout
    assert 'Everything works without it but backend="tensorflow".' in done.stdout


def test_an_installation_that_fails_ends_with_its_code(install_script):
    done, asked = install_script("broken", "some")
    assert (done.returncode, asked) == (3, [("pip", name) for name in ("uv", "setuptools", ".[broken]")])
    assert "compiled" not in done.stdout


@pytest.mark.slow
def test_uv_installs_where_it_is_to_be_had_and_pip_what_uv_cannot(install_script, tmp_path):
    done, asked = install_script("app", "some", uv=True)
    assert (done.returncode, asked) == (0, [("pip", "uv"), *(("uv", name) for name in PACKAGES)])
    (tmp_path / "modules/asked").unlink()
    done, asked = install_script("app", "none", uv=True, UV="fails")
    both = [(program, name) for name in PACKAGES for program in ("uv", "pip")]
    assert (done.returncode, asked) == (0, [("pip", "uv"), *both])


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["global.index-url='ours'", "env:.no-index='1'"])
def test_where_pip_is_sent_elsewhere_uv_does_not_ask_strangers(install_script, setting):
    done, asked = install_script("app", "some", uv=True, CONFIGURED=setting)
    assert (done.returncode, asked) == (0, [("pip", name) for name in PACKAGES])
