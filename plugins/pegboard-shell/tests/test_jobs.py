"""Commands that go on while calls come and go."""

import asyncio
from typing import Any

import pytest
from pegboard import Host
from pegboard_shell import commands

LOOP = "i=0; while :; do echo line $i; i=$((i+1)); sleep 0.02; done"


async def call(host: Host, name: str, arguments: object = None, *, on: str = "tests") -> Any:
    """The value of a call."""
    return (await failing(host, name, arguments, on=on)).unwrap()


async def failing(host: Host, name: str, arguments: object = None, *, on: str = "tests") -> Any:
    """The outcome of a call."""
    board = await host.board(on)
    return await board.call(f"shell_{name}", arguments)


async def test_each_reading_gives_what_is_new(hosted: Any) -> None:
    async with hosted() as host:
        job = (await call(host, "start", {"command": LOOP}))["job"]
        texts = [await call(host, "read", {"job": job, "wait": 10}) for _ in range(3)]

        assert all(each["output"] for each in texts)
        joined = "".join(each["output"] for each in texts)
        assert joined.startswith("line 0\nline 1\n")
        again = await call(host, "read", {"job": job, "since": 0})
        assert again["output"].startswith(joined)


async def test_a_reading_is_bounded_and_says_where_to_go_on(hosted: Any) -> None:
    async with hosted(answer_bytes=256) as host:
        await call(
            host, "start", {"command": "i=0; while [ $i -lt 999 ]; do echo $i; i=$((i+1)); done"}
        )
        await call(host, "read", {"job": "job-1", "since": 10_000, "wait": 60})
        texts, value = [], {"notes": ["more"]}
        while "more" in value["notes"][0]:
            since = value.get("next", 0)
            value = await call(host, "read", {"job": "job-1", "since": since, "wait": 10})
            texts.append(value["output"])

        assert "".join(texts) == "".join(f"{number}\n" for number in range(999))
        assert max(map(len, texts)) <= 256
        assert (value["state"], value["exit_status"], value["ended"]) == ("ended", 0, "exited")


async def test_a_reading_waits_for_the_end(hosted: Any) -> None:
    async with hosted() as host:
        await call(host, "start", {"command": "sleep 0.3; exit 4"})

        value = await call(host, "read", {"job": "job-1", "wait": 60})

        assert (value["output"], value["exit_status"]) == ("", 4)


async def test_a_stopped_job_gives_the_rest_of_its_output(hosted: Any, marked: Any) -> None:
    async with hosted() as host:
        await call(
            host, "start", {"command": "trap 'echo bye; exit 5' TERM; echo on; sleep 600 & wait"}
        )
        assert (await call(host, "read", {"job": "job-1", "wait": 10}))["output"] == "on\n"

        value = await call(host, "stop", {"job": "job-1"})

        assert (value["output"], value["exit_status"], value["ended"]) == ("bye\n", 5, "stopped")
        assert marked.running() == []


async def test_stopping_twice_gives_the_same_end(hosted: Any) -> None:
    async with hosted() as host:
        await call(host, "start", {"command": "sleep 600"})

        values = [await call(host, "stop", {"job": "job-1"}) for _ in range(2)]

        assert values[0] == values[1]
        assert values[0]["signal"] == "SIGTERM"


async def test_a_list_shows_running_and_ended_jobs(hosted: Any) -> None:
    async with hosted() as host:
        await call(host, "start", {"command": "exit 3", "cwd": "inner"})
        await call(host, "read", {"job": "job-1", "wait": 60})
        await call(host, "start", {"command": "sleep 600"})

        jobs = await call(host, "list")

        assert [
            (each["job"], each["cwd"], each["state"], each["exit_status"]) for each in jobs
        ] == [
            ("job-1", "inner", "ended", 3),
            ("job-2", ".", "running", None),
        ]


async def test_only_so_many_jobs_run_at_once(hosted: Any) -> None:
    async with hosted(jobs=2) as host:
        for _ in range(2):
            await call(host, "start", {"command": "sleep 600"})

        outcome = await failing(host, "start", {"command": "sleep 600"})

        assert outcome.message == (
            "2 jobs run on this board, and no more may: job-1, job-2; stop one with shell_stop"
        )
        await call(host, "stop", {"job": "job-1"})
        assert (await call(host, "start", {"command": "sleep 600"}))["job"] == "job-3"


async def test_only_so_many_jobs_run_at_once_even_if_they_are_started_together(
    hosted: Any, marked: Any
) -> None:
    async with hosted(jobs=2) as host:
        starts = [failing(host, "start", {"command": "sleep 600"}) for _ in range(6)]

        outcomes = await asyncio.gather(*starts)

        codes = [each.details["code"] for each in outcomes if each.is_error]
        assert codes == ["too_many_jobs"] * 4
        assert len([each for each in marked.running() if each.startswith("sleep")]) <= 2


async def test_a_start_that_fails_takes_no_place(hosted: Any) -> None:
    async with hosted(jobs=1) as host:
        for _ in range(3):
            outcome = await failing(host, "start", {"command": "sleep 600", "cwd": "missing"})
            assert outcome.details["code"] == "not_found"

        assert await call(host, "start", {"command": "sleep 600"})


async def test_a_reading_of_much_says_how_to_read_the_last_of_it(hosted: Any) -> None:
    async with hosted(answer_bytes=256) as host:
        await call(host, "start", {"command": "seq 999"})
        await call(host, "read", {"job": "job-1", "since": 10_000, "wait": 60})

        value = await call(host, "read", {"job": "job-1", "since": 0})

        assert "3632 bytes more; read on, or with since=3632 for the last of it" in value["notes"]
        last = await call(host, "read", {"job": "job-1", "since": 3632})
        assert (last["output"][-8:], last["next"]) == ("998\n999\n", last["size"])


LIMITS = {
    "output": ("yes", "ended because it wrote more than 50000 bytes"),
    "processes": (
        "i=0; while [ $i -lt 99 ]; do sleep 600 & i=$((i+1)); done; wait",
        "ended because it had more than 30 processes",
    ),
}


@pytest.mark.parametrize("why", LIMITS)
async def test_a_job_that_a_limit_ended_tells_which(hosted: Any, why: str) -> None:
    command, note = LIMITS[why]
    async with hosted(output_bytes=50_000, processes=30) as host:
        await call(host, "start", {"command": command})
        await call(host, "read", {"job": "job-1", "since": 50_000, "wait": 60})

        value = await call(host, "stop", {"job": "job-1"})

        assert value["ended"] == why
        assert note in value["notes"]


async def test_jobs_that_ended_long_ago_are_forgotten(
    hosted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "MOST_ENDED", 3)
    async with hosted(jobs=1) as host:
        for number in range(1, 7):
            await call(host, "start", {"command": "echo x"})
            await call(host, "stop", {"job": f"job-{number}"})

        jobs = [each["job"] for each in await call(host, "list")]

        assert jobs == [f"job-{number}" for number in range(4, 7)]


@pytest.mark.parametrize("tool", ["read", "stop"])
async def test_the_jobs_of_another_board_are_not_there(hosted: Any, tool: str) -> None:
    async with hosted() as host:
        await call(host, "start", {"command": "sleep 600"}, on="first")

        outcome = await failing(host, tool, {"job": "job-1"}, on="second")

        assert outcome.message == "this board has no job 'job-1'; it has none"
        assert await call(host, "list", on="second") == []
        assert (await call(host, "list", on="first"))[0]["state"] == "running"


async def test_a_job_ends_with_its_board_and_no_other(hosted: Any, marked: Any) -> None:
    async with hosted() as host:
        for board in ("first", "second"):
            await call(
                host, "start", {"command": f"setsid sleep 600 & sleep 600 # {board}"}, on=board
            )

        await host.boards["first"].close()

        assert len([each for each in marked.running() if "# second" in each]) == 1
        assert not [each for each in marked.running() if "# first" in each]


async def test_a_job_ends_with_the_plugin(hosted: Any, marked: Any) -> None:
    async with hosted() as host:
        await call(host, "start", {"command": "trap '' TERM; while :; do sleep 1; done"})

        report = await host.unload("shell")

        assert marked.running() == []
        assert (report.errors, report.leaked, report.still_running) == ((), (), ())


async def test_a_job_goes_on_while_other_calls_run(hosted: Any) -> None:
    async with hosted() as host:
        await call(host, "start", {"command": "until test -e go; do sleep 0.02; done; echo gone"})
        await call(host, "run", {"command": "touch go"})

        value = await call(host, "read", {"job": "job-1", "wait": 60})

        assert value["output"] == "gone\n"


async def test_a_job_that_can_not_be_started_leaves_none(hosted: Any) -> None:
    async with hosted() as host:
        outcome = await failing(host, "start", {"command": "sleep 600", "cwd": "missing"})

        assert outcome.details["code"] == "not_found"
        assert await call(host, "list") == []


async def test_readings_of_two_jobs_may_overlap(hosted: Any) -> None:
    async with hosted() as host:
        for _ in range(2):
            await call(host, "start", {"command": "until test -e go; do sleep 0.02; done; echo x"})
        reads = [call(host, "read", {"job": f"job-{each}", "wait": 60}) for each in (1, 2)]

        values = await asyncio.gather(*reads, call(host, "run", {"command": "touch go"}))

        assert [each["output"] for each in values] == ["x\n", "x\n", ""]


async def test_a_host_without_jobs_has_no_tools_for_them(hosted: Any) -> None:
    async with hosted(jobs=0) as host:
        board = await host.board("tests")

        assert list(board.tools) == ["shell_run"]
