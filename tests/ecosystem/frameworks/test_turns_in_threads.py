"""Calls of one message that threads make at the same moment."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from pegboard import blocking, tool
from pegboard.frameworks.langchain import BoardMiddleware

THREADS = 4


class Slow(str):
    """An id of a message that takes its time where it is looked up."""

    __slots__ = ()

    def __hash__(self) -> int:
        time.sleep(0.02)
        return super().__hash__()


def test_threads_that_ask_for_one_turn_at_the_same_moment_share_it() -> None:
    running, most, start = [], [], threading.Barrier(THREADS)

    @tool
    def work() -> None:
        """Work."""
        running.append(1)
        most.append(len(running))
        time.sleep(0.05)
        running.pop()

    def call(number: int) -> Any:
        message = AIMessage.model_construct(id=Slow("message"), content="")
        made: Any = {"name": "work", "args": {}, "id": f"call-{number}"}
        request = ToolCallRequest(made, None, {"messages": [message]}, Any)
        start.wait(10)
        return middleware.wrap_tool_call(request, lambda each: each)

    with blocking.Host(discover=False) as host, ThreadPoolExecutor(THREADS) as pool:
        host.register(work)
        middleware = BoardMiddleware(host.board("agent"))
        told = list(pool.map(call, range(THREADS)))

    assert [each.status for each in told] == ["success"] * THREADS
    assert most == [1] * THREADS
