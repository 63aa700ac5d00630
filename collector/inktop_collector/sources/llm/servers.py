"""The servers that are known: what each calls the values that a board shows.

From their own documentation: vLLM "Production Metrics", llama.cpp tools/server/README.md, SGLang
"Production Metrics", Text Generation Inference "Metrics". Ollama and TabbyAPI have no such page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Container, Optional, Tuple


@dataclass(frozen=True)
class Server:
    """Names of metrics; of some values a newer and an older one."""

    name: str
    running: str
    waiting: str
    generated: str
    prompt: str
    #: Of each part of the server 0 to 1.
    cache: Tuple[str, ...] = ()


SERVERS = (
    Server(
        "vLLM",
        "vllm:num_requests_running",
        "vllm:num_requests_waiting",
        "vllm:generation_tokens_total",
        "vllm:prompt_tokens_total",
        ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
    ),
    Server(
        "llama.cpp",
        "llamacpp:requests_processing",
        "llamacpp:requests_deferred",
        "llamacpp:tokens_predicted_total",
        "llamacpp:prompt_tokens_total",
        ("llamacpp:kv_cache_usage_ratio",),
    ),
    Server(
        "SGLang",
        "sglang:num_running_reqs",
        "sglang:num_queue_reqs",
        "sglang:generation_tokens_total",
        "sglang:prompt_tokens_total",
        ("sglang:token_usage",),
    ),
    Server(
        "TGI",
        "tgi_batch_current_size",
        "tgi_queue_size",
        "tgi_request_generated_tokens_sum",
        "tgi_request_input_length_sum",
    ),
)
#: All names, for the reader of a page.
NAMES = tuple(name for s in SERVERS for name in (s.running, s.waiting, s.generated, s.prompt, *s.cache))


def server_of(metrics: Container[str]) -> Optional[Server]:
    """The server that has such metrics."""
    for server in SERVERS:
        if server.running in metrics or server.generated in metrics:
            return server
    return None
