"""Programs that tests need and a machine may lack."""

import shutil

import pytest


def nginx_program():
    """The path of nginx; without it the test is skipped."""
    program = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if program is None:
        pytest.skip("not installed: nginx (apt install nginx)")
    return program
