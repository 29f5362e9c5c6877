"""Event source mappings of queues as Lambda runs them: each has pollers of its own, as many as its maximum concurrency, and a
function has as many environments as it has invocations at once, up to a bound for those that are not by queues.

MiniStack 1.4.21 ignores the maximum concurrency: one thread handles one batch at a time, of all queues and functions together,
in one environment per function, and asks idle queues once per second. Its counts of messages are exact at once, where those of
AWS are approximate and some seconds old.
"""

import itertools
import json
import threading
import time

from ministack.services import lambda_svc, sqs

# For queues without a maximum. Lambda begins with five; each is a process here.
CONCURRENCY = 2
IDLE_SECONDS = 0.1
# For invocations that are not by queues, as those of the API; more of them wait.
REQUEST_ENVIRONMENTS = 4
# More than any function has here.
ENVIRONMENTS_MAX = 100

mappings = lambda_svc._iter_all_esms
poll_queues = lambda_svc._poll_sqs
execute = lambda_svc._execute_function_warm
worker_of = lambda_svc.get_or_create_worker
invalidate = lambda_svc.invalidate_worker
sweep = sqs._dlq_sweep

poller = threading.local()
started = set()
busy = {}
requests = {}
lock = threading.Lock()


def mappings_of_poller():
    """Those of the thread: its own, or all."""
    own = getattr(poller, "mapping", None)
    return [one for one in mappings() if own is None or one[2]["UUID"] == own]


def poll(mapping):
    poller.mapping = mapping
    while mappings_of_poller():
        try:
            received = poll_queues()
        except Exception as error:
            lambda_svc.logger.error("poller: %s", error)
            received = False
        if not received:
            time.sleep(IDLE_SECONDS)


def start_pollers():
    """Instead of the poll of all queues by one thread."""
    for _, _, mapping in mappings():
        name = mapping["UUID"]
        if name in started or ":sqs:" not in mapping["EventSourceArn"]:
            continue
        started.add(name)
        scaling = mapping.get("ScalingConfig") or {}
        for _ in range(scaling.get("MaximumConcurrency", CONCURRENCY)):
            threading.Thread(target=poll, args=(name,), daemon=True).start()
    return False


def execute_in_free_environment(func, event):
    name = (func.get("config") or func)["FunctionName"]
    if getattr(poller, "mapping", None) is not None:
        return execute_in_next(name, func, event)
    with lock:
        turn = requests.setdefault(name, threading.Semaphore(REQUEST_ENVIRONMENTS))
    with turn:
        return execute_in_next(name, func, event)


def execute_in_next(name, func, event):
    taken = busy.setdefault(name, set())
    with lock:
        poller.environment = next(number for number in itertools.count() if number not in taken)
        taken.add(poller.environment)
    try:
        return execute(func, event)
    finally:
        taken.discard(poller.environment)
        poller.environment = 0


def name_of(qualifier, environment):
    return qualifier if environment == 0 else f"{qualifier}.{environment}"


def worker_of_environment(func_name, config, code, qualifier="$LATEST"):
    name = name_of(qualifier, getattr(poller, "environment", 0))
    return worker_of(func_name, config, code, qualifier=name)


def invalidate_environments(func_name, qualifier=None, **scope):
    if qualifier is None:
        return invalidate(func_name, **scope)
    for environment in range(ENVIRONMENTS_MAX):
        invalidate(func_name, qualifier=name_of(qualifier, environment), **scope)


def delete_in_place(queue_url, receipt_handles):
    """MiniStack replaces the list of messages, which loses those that are sent meanwhile."""
    with sqs._queues_lock:
        messages = sqs._get_q(queue_url)["messages"]
        for done in [one for one in messages if one.get("receipt_handle") in receipt_handles]:
            for at, one in enumerate(messages):
                if one is done:
                    del messages[at]
                    break


def move_dead_letters(queue):
    """Here too, MiniStack replaces the list of messages: only when there is one to move."""
    policy = json.loads(queue["attributes"].get("RedrivePolicy") or "null")
    if policy and any(one["receive_count"] >= int(policy["maxReceiveCount"]) for one in queue["messages"]):
        sweep(queue)


def use():
    lambda_svc._iter_all_esms = mappings_of_poller
    lambda_svc._poll_sqs = start_pollers
    lambda_svc._execute_function_warm = execute_in_free_environment
    lambda_svc.get_or_create_worker = worker_of_environment
    lambda_svc.invalidate_worker = invalidate_environments
    sqs._delete_messages_for_esm = delete_in_place
    sqs._dlq_sweep = move_dead_letters
