"""The filter of system calls, interpreted here as the kernel does, for both architectures."""

from __future__ import annotations

import struct

import pytest

from milepost.sandbox import confinement, seccomp

ERRNO = 0x00050001
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Numbers from the kernel's tables: for what must never pass.
FORBIDDEN = {
    "x86_64": {
        "open": 2, "socket": 41, "connect": 42, "sendmsg": 46, "clone": 56, "fork": 57,
        "execve": 59, "kill": 62, "ptrace": 101, "prctl": 157, "mount": 165, "openat": 257,
        "process_vm_readv": 310, "memfd_create": 319, "bpf": 321, "execveat": 322,
        "pidfd_open": 434, "clone3": 435, "io_uring_setup": 425, "landlock_create_ruleset": 444,
    },
    "aarch64": {
        "ioctl": 29, "mount": 40, "openat": 56, "ptrace": 117, "kill": 129, "prctl": 167,
        "socket": 198, "connect": 203, "sendmsg": 211, "clone": 220, "execve": 221,
        "process_vm_readv": 270, "memfd_create": 279, "bpf": 280, "execveat": 281,
        "io_uring_setup": 425, "pidfd_open": 434, "clone3": 435,
    },
}  # fmt: skip
# With what a thread does last when it starts: glibc aborts the process when rseq is refused.
NEEDED = {
    "x86_64": {
        "read": 0, "write": 1, "futex": 202, "exit_group": 231, "set_robust_list": 273,
        "getrandom": 318, "rseq": 334,
    },
    "aarch64": {
        "read": 63, "write": 64, "exit_group": 94, "futex": 98, "set_robust_list": 99,
        "getrandom": 278, "rseq": 293,
    },
}  # fmt: skip
MMAP = {"x86_64": 9, "aarch64": 222}


def verdict(machine: str, number: int, third: int = 0, architecture: int | None = None) -> int:
    """Run the filter over one system call."""
    code = seccomp.program(machine)
    data = struct.pack("=iIQ6Q", number, architecture or MACHINES[machine], 0, 0, 0, third, 0, 0, 0)
    steps = [struct.unpack_from("=HBBI", code, at) for at in range(0, len(code), 8)]
    at = accumulator = 0
    while True:
        operation, if_true, if_false, value = steps[at]
        at += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif operation == 0x06:
            return int(value)
        else:
            held = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[operation]
            at += if_true if held else if_false


@pytest.mark.parametrize("machine", MACHINES)
def test_what_a_program_needs_passes_and_nothing_else(machine: str) -> None:
    assert {verdict(machine, n) for n in NEEDED[machine].values()} == {seccomp.ALLOW}
    assert {verdict(machine, n) for n in FORBIDDEN[machine].values()} == {ERRNO}
    allowed = [n for n in range(600) if verdict(machine, n) == seccomp.ALLOW]
    assert len(allowed) < 40


@pytest.mark.parametrize("machine", MACHINES)
def test_memory_may_not_become_executable(machine: str) -> None:
    assert verdict(machine, MMAP[machine], third=3) == seccomp.ALLOW
    assert verdict(machine, MMAP[machine], third=7) == ERRNO


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_is_killed(machine: str) -> None:
    assert verdict(machine, 0, architecture=0x40000003) == seccomp.KILL
    assert verdict(machine, 0x40000000) == seccomp.KILL


def test_an_unknown_architecture_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinement.platform, "machine", lambda: "riscv64")  # type: ignore[attr-defined]
    monkeypatch.setattr(confinement.sys, "platform", "linux")  # type: ignore[attr-defined]
    assert confinement.available()["seccomp"] == "its numbers are not known for riscv64"


@pytest.mark.parametrize(("abi", "size"), [(1, 8), (3, 8), (4, 16), (5, 16), (6, 24), (7, 24)])
def test_landlock_is_asked_for_all_that_a_version_knows(abi: int, size: int) -> None:
    attributes = confinement.landlock_attributes(abi)
    assert len(attributes) == size
    (files,) = struct.unpack_from("=Q", attributes)
    assert files.bit_count() == {1: 13, 3: 15, 4: 15}.get(abi, 16)
