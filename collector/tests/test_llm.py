"""A local inference server: what its page says, and what a bad page cannot do."""

from __future__ import annotations

import http.server
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Callable, Iterator, List
from urllib.parse import urlsplit

import pytest
from inktop_collector.config import ConfigError, load
from inktop_collector.sources.llm import page, watch
from inktop_collector.sources.llm.page import PageError, fetch, parse_page
from inktop_collector.sources.llm.servers import NAMES
from inktop_collector.sources.llm.watch import Watch
from inktop_protocol import ModelServer
from testkit.recorded import Machine, Sampling, sample

#: Names, types and labels as vLLM's "Production Metrics" has them; the values are made up.
VLLM = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="unsloth/Llama-3.2-1B-Instruct"} 3.0
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="unsloth/Llama-3.2-1B-Instruct"} 1.0
# HELP vllm:kv_cache_usage_perc KV-cache usage. 1 means 100 percent usage.
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="unsloth/Llama-3.2-1B-Instruct"} 0.3671875
# HELP vllm:prompt_tokens_total Number of prefill tokens processed.
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{engine="0",model_name="unsloth/Llama-3.2-1B-Instruct"} %PROMPT%
vllm:prompt_tokens_created{engine="0",model_name="unsloth/Llama-3.2-1B-Instruct"} 1.7e+09
# HELP vllm:generation_tokens_total Number of generation tokens processed.
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{engine="0",model_name="unsloth/Llama-3.2-1B-Instruct"} %GENERATED%
# HELP vllm:iteration_tokens_total Histogram of number of tokens per engine_step.
# TYPE vllm:iteration_tokens_total histogram
vllm:iteration_tokens_total_bucket{engine="0",le="1.0",model_name="unsloth/Llama-3.2-1B-Instruct"} 3.0
vllm:iteration_tokens_total_bucket{engine="0",le="+Inf",model_name="unsloth/Llama-3.2-1B-Instruct"} 3.0
"""
#: As in llama.cpp's tools/server/README.md (--metrics).
LLAMA = """\
# HELP llamacpp:prompt_tokens_total Number of prompt tokens processed.
# TYPE llamacpp:prompt_tokens_total counter
llamacpp:prompt_tokens_total %PROMPT%
# HELP llamacpp:tokens_predicted_total Number of generation tokens processed.
# TYPE llamacpp:tokens_predicted_total counter
llamacpp:tokens_predicted_total %GENERATED%
# HELP llamacpp:predicted_tokens_seconds Average generation throughput in tokens/s.
# TYPE llamacpp:predicted_tokens_seconds gauge
llamacpp:predicted_tokens_seconds 41.7
# HELP llamacpp:requests_processing Number of requests processing.
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 3
# HELP llamacpp:requests_deferred Number of requests deferred.
# TYPE llamacpp:requests_deferred gauge
llamacpp:requests_deferred 1
"""
#: As in SGLang's "Production Metrics": each rank of tensor parallelism says the same.
SGLANG = """\
# HELP sglang:prompt_tokens_total Number of prefill tokens processed.
# TYPE sglang:prompt_tokens_total counter
sglang:prompt_tokens_total{model_name="meta-llama/Llama-3.1-8B-Instruct"} %PROMPT%
# HELP sglang:generation_tokens_total Number of generation tokens processed.
# TYPE sglang:generation_tokens_total counter
sglang:generation_tokens_total{model_name="meta-llama/Llama-3.1-8B-Instruct"} %GENERATED%
# HELP sglang:token_usage The token usage
# TYPE sglang:token_usage gauge
sglang:token_usage{model_name="meta-llama/Llama-3.1-8B-Instruct",tp_rank="0"} 0.37
sglang:token_usage{model_name="meta-llama/Llama-3.1-8B-Instruct",tp_rank="1"} 0.37
# HELP sglang:num_running_reqs The number of running requests
# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{model_name="meta-llama/Llama-3.1-8B-Instruct",tp_rank="0"} 3.0
sglang:num_running_reqs{model_name="meta-llama/Llama-3.1-8B-Instruct",tp_rank="1"} 3.0
# HELP sglang:num_queue_reqs The number of requests in the waiting queue
# TYPE sglang:num_queue_reqs gauge
sglang:num_queue_reqs{model_name="meta-llama/Llama-3.1-8B-Instruct"} 1.0
"""
#: As in Text Generation Inference's "Metrics".
TGI = """\
# TYPE tgi_batch_current_size gauge
tgi_batch_current_size 3
# TYPE tgi_queue_size gauge
tgi_queue_size 1
# TYPE tgi_request_generated_tokens histogram
tgi_request_generated_tokens_bucket{le="1"} 0
tgi_request_generated_tokens_sum %GENERATED%
tgi_request_generated_tokens_count 44
# TYPE tgi_request_input_length histogram
tgi_request_input_length_sum %PROMPT%
"""
TEXT = "text/plain; version=0.0.4; charset=utf-8"


def filled(text: str, generated: float, prompt: float) -> str:
    return text.replace("%GENERATED%", str(generated)).replace("%PROMPT%", str(prompt))


class Server:
    """A page on a port of this machine; ``answer`` writes it."""

    def __init__(self) -> None:
        self.text = ""
        self.answer: Callable[[http.server.BaseHTTPRequestHandler], None] = self.plain
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with suppress(ConnectionError):  # that nobody reads on is what some tests are about
                    server.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/metrics"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def plain(self, asked: http.server.BaseHTTPRequestHandler, status: int = 200, kind: str = TEXT) -> None:
        asked.send_response(status)
        asked.send_header("Content-Type", kind)
        asked.send_header("Location", self.url)
        asked.end_headers()
        asked.wfile.write(self.text.encode())

    def fetch(self) -> str:
        return fetch(urlsplit(self.url))


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.http.shutdown()
    server.http.server_close()


class Look:
    """Looks of a watch at given seconds."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.at = 100.0
        self.watch = Watch(server.url, lambda: self.at)

    def __call__(self, text: str, at: float) -> ModelServer:
        self.server.text, self.at = text, at
        return self.watch._read().server


# -- what a page says --


@pytest.mark.parametrize(
    ("text", "name", "cache"),
    [(VLLM, "vLLM", 37), (LLAMA, "llama.cpp", None), (SGLANG, "SGLang", 37), (TGI, "TGI", None)],
)
def test_each_known_server_is_read_by_its_own_names(text: str, name: str, cache: int, server: Server) -> None:
    look = Look(server)
    assert look(filled(text, 1000.0, 50000.0), 100) == ModelServer(name, 3, 1, None, None, cache)
    assert look(filled(text, 1168.0, 52400.0), 102) == ModelServer(name, 3, 1, 84, 1200, cache)


def test_tokens_are_a_mean_of_ten_seconds(server: Server) -> None:
    look = Look(server)
    rates = [
        look(filled(LLAMA, generated, 0), 100 + 2 * number).generated_tokens_s
        for number, generated in enumerate((0, 0, 0, 400, 400, 400, 400, 400, 400))
    ]
    # 400 tokens of a request that ended: 40 a second while they are within the last ten seconds.
    assert rates == [None, 0, 0, 67, 50, 40, 40, 40, 0]


def test_a_server_that_was_started_again_counts_from_there(server: Server) -> None:
    look = Look(server)
    look(filled(VLLM, 90000.0, 90000.0), 100)
    assert look(filled(VLLM, 90100.0, 90000.0), 102).generated_tokens_s == 50
    assert look(filled(VLLM, 20.0, 90000.0), 104).generated_tokens_s is None
    assert look(filled(VLLM, 40.0, 90000.0), 106).generated_tokens_s == 10


def test_engines_add_up_ranks_do_not_and_the_fullest_cache_counts() -> None:
    text = (
        'vllm:num_requests_running{engine="0",model_name="a b{c}",x="1,2"} 2\n'
        'vllm:num_requests_running{engine="1",model_name="a b{c}"} 3 1700000000000\n'
        'vllm:kv_cache_usage_perc{engine="0"} 0.25\nvllm:kv_cache_usage_perc{engine="1"} 0.75\n'
        "vllm:num_requests_waiting NaN\nvllm:generation_tokens_total +Inf\nvllm:prompt_tokens_total\n"
        "vllm:num_requests_running_total 99\nsglang:token_usage many\n"
        'sglang:num_running_reqs{tp_rank="0",priority=""} 14\n'
        'sglang:num_running_reqs{tp_rank="0",priority="1"} 9\n'
    )
    assert parse_page(text, NAMES) == {
        "vllm:num_requests_running": [2, 3],
        "vllm:kv_cache_usage_perc": [0.25, 0.75],
        "sglang:num_running_reqs": [14],
    }


# -- bad pages --


def test_a_page_that_is_none_is_refused_with_its_reason(server: Server) -> None:
    server.text = "<html>" + VLLM
    server.answer = lambda asked: server.plain(asked, 200, "text/html")
    with pytest.raises(PageError, match="text/html, not metrics"):
        server.fetch()
    for status in (301, 302, 404, 500):
        server.answer = lambda asked, status=status: server.plain(asked, status)  # type: ignore[misc]
        with pytest.raises(PageError, match=f"it answers {status}"):
            server.fetch()


def test_a_page_without_an_end_is_given_up(server: Server) -> None:
    sent: List[int] = []

    def endless(asked: http.server.BaseHTTPRequestHandler) -> None:
        asked.send_response(200)
        asked.send_header("Content-Type", TEXT)
        asked.end_headers()
        for number in range(100):
            asked.wfile.write(b"# " + b"x" * (1 << 20) + b"\n")
            sent.append(number)

    server.answer = endless
    with pytest.raises(PageError, match="larger than 4 MiB"):
        server.fetch()
    assert len(sent) < 50


def test_a_page_that_drips_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "DEADLINE_S", 0.3)
    done = threading.Event()

    def drip(asked: http.server.BaseHTTPRequestHandler) -> None:
        asked.send_response(200)
        asked.send_header("Content-Type", TEXT)
        asked.end_headers()
        while not done.wait(0.01):
            asked.wfile.write(b"#")
            asked.wfile.flush()

    server.answer = drip
    with pytest.raises(PageError, match="takes longer"):
        server.fetch()
    done.set()


@pytest.mark.parametrize(
    "said", [b"", b"\0\xff" * 100, b"HTTP/1.1 200 OK\r\n\r\nvllm:", b"220 mail ready\r\n"]
)
def test_what_speaks_no_http_is_refused(said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            asking, _ = listening.accept()
            with asking:
                asking.recv(4096)
                asking.sendall(said)

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(PageError):
            fetch(urlsplit(f"http://127.0.0.1:{listening.getsockname()[1]}/metrics"))


# -- the line --


def shown(sampling: Sampling) -> ModelServer:
    """What the line says once the server was looked at."""
    for _ in range(200):
        server = sampling.round().model_server
        assert server is not None
        if server.running is not None:
            return server
        time.sleep(0.01)
    raise AssertionError("it was never looked at")


def test_the_line_says_what_the_server_is_doing(tmp_path: Path, server: Server) -> None:
    server.text = filled(VLLM, 1000.0, 50000.0)
    sampling = Sampling(Machine(tmp_path), llm=server.url)
    assert shown(sampling) == ModelServer("vLLM", 3, 1, None, None, 37)
    assert any(row.found == f"vLLM, {server.url}" for row in sampling.sampler.doctor())
    sampling.close()


def test_without_the_setting_nobody_is_asked_and_http_is_not_loaded(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    assert sample(machine).model_server is None
    room = Path(__file__).parents[1]
    code = (
        f"import sys; sys.path[:0] = {[str(room), str(room.parent / 'protocol')]!r}\n"
        "from pathlib import Path\nfrom testkit.recorded import Machine, sample\n"
        f"sample(Machine(Path({str(machine.folder)!r})))\n"
        "assert not {'http.client', 'inktop_collector.sources.llm.watch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


def test_a_server_that_does_not_answer_delays_no_line_and_is_unknown(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/metrics"
        sampling = Sampling(Machine(tmp_path), llm=url)
        sampling.round(timeout_s=60)
        # The look is under way, and the rounds were complete without it.
        connection, _ = listening.accept()
        snapshot = sampling.round(timeout_s=60)
        assert snapshot.cpus == 4
        assert snapshot.model_server == ModelServer("model server")
        row = next(row for row in sampling.sampler.doctor() if row.title == "model server")
        assert row.broken
        connection.close()
        sampling.close()


def test_a_server_that_is_gone_keeps_its_name_and_its_values_are_unknown(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "EVERY_S", 0.0)
    server.text = filled(VLLM, 1000.0, 50000.0)
    sampling = Sampling(Machine(tmp_path), llm=server.url)
    shown(sampling)
    server.answer = lambda asked: server.plain(asked, 503)
    for _ in range(200):
        snapshot = sampling.round()
        if snapshot.model_server == ModelServer("vLLM"):
            break
        time.sleep(0.01)
    assert snapshot.model_server == ModelServer("vLLM")
    row = next(row for row in sampling.sampler.doctor() if row.title == "model server")
    assert "it answers 503" in row.note
    sampling.close()


# -- the setting --


def test_a_port_alone_is_a_server_on_this_machine() -> None:
    assert load({"llm": "8000"}, {}).llm == "http://127.0.0.1:8000/metrics"
    assert load({"llm": "http://[::1]:8080/metrics"}, {}).llm == "http://[::1]:8080/metrics"
    assert load({"llm": ""}, {}).llm == ""
    assert load({}, {}).llm == ""


@pytest.mark.parametrize(
    "text",
    ["0", "65536", "https://127.0.0.1/metrics", "file:///etc/passwd", "http://", "localhost:8000", "a b"]
    + ["http://user:secret@127.0.0.1/", "http://127.0.0.1:port/metrics", "http://127.0.0.1:8000/a b"],
)
def test_what_is_no_url_of_a_page_stops_the_start(text: str) -> None:
    with pytest.raises(ConfigError):
        load({"llm": text}, {})
