"""Adds the command to the wheel, as a script, if APNSIFT_WHEEL_COMMAND names one; such a wheel is for one platform.

Without it the wheel has Python only, and uses a command that is installed in another way.
"""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class AddCommand(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        command = os.environ.get("APNSIFT_WHEEL_COMMAND")
        if not command or version == "editable":
            return
        build_data["shared_scripts"][command] = "apnsift"
        build_data["pure_python"] = False
        # The command runs with every Python 3; `auditwheel repair` makes the tag of the platform exact.
        from packaging.tags import sys_tags

        platform = next(tag.platform for tag in sys_tags() if "manylinux" not in tag.platform)
        build_data["tag"] = f"py3-none-{platform}"
