"""Take from a process what it does not need: privileges, files, network, system calls.

Each step says whether it worked; what this system lacks is reported, not hidden. Loading comes
first, then `restrict_files`, then threads, then `restrict_calls`: landlock binds only threads that
start after it, seccomp binds all.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import struct
import sys

from milepost.sandbox import seccomp

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS, _PR_CAPBSET_DROP = 1, 4, 38, 24
_CAPABILITIES = 64
_CAPABILITY_VERSION_3 = 0x20080522
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_SECCOMP_CALL = {"x86_64": 317, "aarch64": 277}
_CAPSET_CALL = {"x86_64": 126, "aarch64": 91}
_SECCOMP_SET_MODE_FILTER, _SECCOMP_GET_ACTION_AVAIL, _SECCOMP_TSYNC = 1, 2, 1
_OPEN_FILES_MAX = 32
# For a process that the host hands open files, one after the other.
TAKES_DESCRIPTORS = ("recvmsg",)


class Confined(Exception):
    """A step of the confinement failed although the system knows it."""


def machine() -> str:
    """Return the architecture as Linux names it."""
    return {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())


def available() -> dict[str, str]:
    """Return of each step why it is not available here; an empty text when it is."""
    if sys.platform != "linux":
        why = f"needs Linux, this is {sys.platform}"
        return dict.fromkeys(("privileges", "landlock", "landlock_network", "seccomp"), why)
    abi = landlock_version()
    return {
        "privileges": "",
        "landlock": "" if abi >= 1 else "the kernel has no landlock, or it is not enabled",
        "landlock_network": "" if abi >= 4 else f"landlock {abi} is older than 4",
        "seccomp": _why_no_seccomp(),
    }


def landlock_version() -> int:
    """Return which version of landlock the kernel has; 0 for none."""
    if sys.platform != "linux":
        return 0
    version: int = ctypes.CDLL(None, use_errno=True).syscall(_LANDLOCK_CREATE, None, 0, 1)
    return max(version, 0)


def _why_no_seccomp() -> str:
    if machine() not in _SECCOMP_CALL:
        return f"its numbers are not known for {machine()}"
    libc = ctypes.CDLL(None, use_errno=True)
    kill = ctypes.c_uint32(seccomp.KILL)
    number = _SECCOMP_CALL[machine()]
    if libc.syscall(number, _SECCOMP_GET_ACTION_AVAIL, 0, ctypes.byref(kill)):
        return f"the kernel has no seccomp filters ({os.strerror(ctypes.get_errno())})"
    return ""


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends; end now if that has happened."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        _done(libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "parent's death")
    if os.getppid() != parent:
        raise SystemExit(0)


def drop_privileges() -> None:
    """Gain nothing ever, show nothing to debuggers, own no capability."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES_MAX, _OPEN_FILES_MAX))
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    _done(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    _done(libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "not dumpable")
    for capability in range(_CAPABILITIES):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    if machine() in _CAPSET_CALL:
        header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
        _done(libc.syscall(_CAPSET_CALL[machine()], header, bytes(24)), "capabilities")


def restrict_memory(bytes_max: int) -> None:
    """Bound what the process can make writable; its address space is huge by design."""
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (bytes_max, bytes_max))


def restrict_files() -> int:
    """Forbid all files, TCP, and signals to others, from now on; return landlock's version."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if available()["landlock"]:
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    abi = landlock_version()
    rules = landlock_attributes(abi)
    fd = libc.syscall(_LANDLOCK_CREATE, rules, len(rules), 0)
    _done(min(fd, 0), "landlock rules")
    try:
        _done(libc.syscall(_LANDLOCK_RESTRICT, fd, 0), "landlock")
    finally:
        os.close(fd)
    return abi


def landlock_attributes(abi: int) -> bytes:
    """Return all that a version of landlock can forbid."""
    files = (1 << 13) - 1
    for since, bit in ((2, 13), (3, 14), (5, 15)):
        files |= (1 << bit) if abi >= since else 0
    if abi < 4:
        return struct.pack("=Q", files)
    tcp = 0b11
    return struct.pack("=QQ", files, tcp) + (struct.pack("=Q", 0b11) if abi >= 6 else b"")


def restrict_calls(more: tuple[str, ...] = ()) -> bool:
    """Leave the process, with all its threads, a few system calls; return whether it worked."""
    if available()["seccomp"]:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    code = seccomp.program(machine(), more)
    held = ctypes.create_string_buffer(code, len(code))
    packed = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(held))
    number = _SECCOMP_CALL[machine()]
    _done(libc.syscall(number, _SECCOMP_SET_MODE_FILTER, _SECCOMP_TSYNC, packed), "seccomp")
    return True


def _done(result: int, what: str) -> None:
    if result:
        raise Confined(f"{what}: {os.strerror(ctypes.get_errno())}")
