"""Whole training steps of small and middling models; answers and steps of Keras's own networks.

python -m benchmarks models
python -m benchmarks models answer_resnet50 --level avx2 --installed      one of the networks, in a minute

The networks run in Keras, on tapegrad and on TensorFlow. Their weights and answers are compared before their
times are. First calls and peaks of memory are those of processes of their own.
"""

from dataclasses import replace
from typing import Any

from benchmarks.bench_memory import peak_memory
from benchmarks.environments import PEERS
from benchmarks.harness import (
    Control,
    Row,
    duration,
    processor_table,
    rows_as_json,
    size,
    table,
    time_table,
    time_workloads,
)
from benchmarks.settings import Settings
from benchmarks.workloads import NETWORK_WORKLOADS, of_group

WITH_KERAS = ("tapegrad", "before", "tf_function")


def run(settings: Settings, control: Control) -> dict[str, Any]:
    networks_asked = [
        workload
        for workload in NETWORK_WORKLOADS
        if not settings.networks or workload.name in settings.networks
    ]
    rows = []
    if not settings.networks:
        rows = time_workloads(of_group("models"), settings, control)
        print(time_table(rows, settings))
    settings = replace(settings, peers=[peer for peer in WITH_KERAS if peer in settings.peers])
    networks = time_workloads(networks_asked, settings, control)
    print(f"\n{time_table(networks, settings)}")
    # The goals are for times.
    peaks = peak_memory([replace(workload, goals=()) for workload in networks_asked], settings)
    print(f"\n{processor_table(networks, settings)}")
    print(f"\n{first_calls_and_peaks(peaks, settings)}")
    return {"times": rows_as_json(rows + networks), "network_peaks": rows_as_json(peaks)}


def first_calls_and_peaks(rows: list[Row], settings: Settings) -> str:
    header = [""]
    for peer in settings.peers:
        header += [f"{PEERS[peer].title}, first call", "peak memory"]
    lines = []
    for row in rows:
        cells = [row.workload.title]
        for peer in settings.peers:
            least = row.least(peer)
            cells += ["–", "–"] if least is None else [duration(row.first[peer]), size(least)]
        lines.append(cells)
    return table(header, lines)
