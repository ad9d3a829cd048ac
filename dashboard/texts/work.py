"""What is said about work under way."""

from __future__ import annotations

# What a process is doing, under the values of services.job_progress.Stage.
STAGES: dict[str, str] = {
    "starting": "Starting",
    "preparing": "Preparing the compiled engine (longer the first time after an installation)",
    "fitting": "Batch {done} of {total}",
    "penalties": "Step 1 of 3, comparing penalties",
    "batches": "Step 2 of 3, comparing numbers of batches",
    "final": "Step 3 of 3, fitting the chosen model",
}
