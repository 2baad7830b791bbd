"""Processes that a run can be stopped with: only the first answers to an interrupt."""

import contextlib
import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor


@contextlib.contextmanager
def pool_of(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Pool of processes that end at once when what uses them does not go on.

    Parameters
    ----------
    jobs : int
        Number of processes.

    Yields
    ------
    ProcessPoolExecutor
        The pool. Submit inside `interrupts_ignored`, for it is then that processes start.
    """
    # Spawned, not forked: R and the threads of numerical libraries do not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


@contextlib.contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Start processes that ignore interrupts, which they inherit.

    A terminal interrupts them all, and each would print its own traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def interrupts_remembered() -> Iterator[Callable[[], None]]:
    """Interrupts that end a run even where a library's callback swallows the exception.

    Yields
    ------
    callable
        To be called where the run may end: raises KeyboardInterrupt if one came.
    """
    came = False

    def interrupted(*_: object) -> None:
        nonlocal came
        came = True
        raise KeyboardInterrupt

    def end_if_interrupted() -> None:
        if came:
            raise KeyboardInterrupt

    with contextlib.ExitStack() as stack:
        # Only the main thread may handle signals, and only it gets the exception.
        if threading.current_thread() is threading.main_thread():
            before = signal.signal(signal.SIGINT, interrupted)
            stack.callback(signal.signal, signal.SIGINT, before)
        yield end_if_interrupted
