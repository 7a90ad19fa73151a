"""``python -m tests.requirements``: see that the programs are here which no wheel brings.

As root on Debian or Ubuntu what is missing is installed; else a sentence says what to install.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

CHROMIUM = "/usr/bin/chromium"


def main() -> int:
    if Path(CHROMIUM).exists():
        return 0
    how = "apt-get install -y chromium"
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Chromium for the browser tests ...", flush=True)
        quiet = {
            "stdout": subprocess.DEVNULL,
            "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        }
        subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], check=False, **quiet)
    if Path(CHROMIUM).exists():
        return 0
    print(f"The browser tests need {CHROMIUM}. Install it once: sudo {how}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
