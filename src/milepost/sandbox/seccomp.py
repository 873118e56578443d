"""The system calls a worker may make once it is loaded, as a filter for the kernel."""

from __future__ import annotations

import struct

ALLOW, KILL = 0x7FFF0000, 0x80000000
_REFUSE = 0x00050000 | 1  # EPERM

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

# What Python, wasmtime and its timers use: memory, time, locks, and descriptors that are open.
# The last steps of a thread that was just starting are among them: glibc aborts without `rseq`.
# Absent by design: everything that opens, connects, starts, signals, traces or maps code.
_CALLS = {
    "x86_64": {
        "read": 0, "write": 1, "close": 3, "fstat": 5, "poll": 7, "lseek": 8, "munmap": 11,
        "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "pread64": 17,
        "sched_yield": 24, "mremap": 25, "madvise": 28, "nanosleep": 35, "getpid": 39, "exit": 60,
        "gettimeofday": 96, "getrusage": 98, "sigaltstack": 131, "gettid": 186, "time": 201,
        "futex": 202, "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229,
        "clock_nanosleep": 230, "exit_group": 231, "epoll_wait": 232, "ppoll": 271,
        "set_robust_list": 273, "epoll_pwait": 281, "getrandom": 318, "rseq": 334,
        "epoll_pwait2": 441,
    },
    "aarch64": {
        "epoll_pwait": 22, "close": 57, "lseek": 62, "read": 63, "write": 64, "pread64": 67,
        "ppoll": 73, "fstat": 80, "exit": 93, "exit_group": 94, "futex": 98, "set_robust_list": 99,
        "nanosleep": 101, "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115,
        "sched_yield": 124, "restart_syscall": 128, "sigaltstack": 132, "rt_sigaction": 134,
        "rt_sigprocmask": 135, "rt_sigreturn": 139, "getrusage": 165, "gettimeofday": 169,
        "getpid": 172, "gettid": 178, "brk": 214, "munmap": 215, "mremap": 216, "madvise": 233,
        "getrandom": 278, "rseq": 293, "epoll_pwait2": 441,
    },
}  # fmt: skip
# For those who ask for them.
_MORE = {"x86_64": {"recvmsg": 47}, "aarch64": {"recvmsg": 212}}
# Allowed unless the memory is to be executable.
_MAPPING = {"x86_64": {"mmap": 9, "mprotect": 10}, "aarch64": {"mmap": 222, "mprotect": 226}}
_PROT_EXEC = 4

_LOAD, _EQUAL, _ABOVE_OR_EQUAL, _HAS_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_AT_NUMBER, _AT_ARCHITECTURE, _AT_THIRD_ARGUMENT = 0, 4, 32


def program(machine: str, more: tuple[str, ...] = ()) -> bytes:
    """Return the filter for an architecture, as the kernel takes it, with more calls by name."""
    steps: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        (_EQUAL, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, KILL),
        (_LOAD, 0, 0, _AT_NUMBER),
        (_ABOVE_OR_EQUAL, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, KILL),
    ]
    for number in (*_CALLS[machine].values(), *(_MORE[machine][name] for name in more)):
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, ALLOW)]
    for number in _MAPPING[machine].values():
        steps += [
            (_EQUAL, 0, 4, number),
            (_LOAD, 0, 0, _AT_THIRD_ARGUMENT),
            (_HAS_BITS, 0, 1, _PROT_EXEC),
            (_RETURN, 0, 0, _REFUSE),
            (_RETURN, 0, 0, ALLOW),
        ]
    steps.append((_RETURN, 0, 0, _REFUSE))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
