"""The agent `payment` in Python: takes requests from its queue, calls its service, and replies."""
import json, os, random, threading, time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen
import boto3

REQUESTS, REPLIES = os.environ["REEVE_REQUEST_QUEUE"], os.environ["REEVE_REPLY_QUEUE"]
SERVICE = os.environ["REEVE_SERVICE_URL"]
WORKERS = 10  # concurrent requests: the load that the service supports
ENVELOPE = {"orderId": str, "step": str, "attempt": int, "action": str, "idempotencyKey": str,
            "performKey": str, "completeBy": int}
INPUT = {"orderId": str, "amountCents": int, "currency": str, "token": str}
sqs = boto3.client("sqs")

def fits(value, fields):
    return isinstance(value, dict) and all(type(value.get(name)) is form for name, form in fields.items())

def seconds_left(request):
    return request["completeBy"] / 1000 - time.time()

def failed(code, message, effect):
    fault = {"code": str(code)[:100], "message": str(message)[:300], "effect": effect}
    return {"kind": "failed", "fault": fault}

def call_service(request):
    """Makes one call. Raises errors that a retry may resolve."""
    performs = request["action"] == "perform"
    body = {name: request["input"][name] for name in INPUT} if performs else {"performKey": request["performKey"]}
    headers = {"content-type": "application/json", "idempotency-key": request["idempotencyKey"]}
    call = Request(f"{SERVICE}/{request['action']}", json.dumps(body).encode(), headers)
    try:
        with urlopen(call, timeout=max(0.001, seconds_left(request))) as answer:
            output = json.load(answer)
            return {"kind": "succeeded", "output": {"chargeId": output["chargeId"]} if performs else None}
    except HTTPError as error:
        if error.code >= 500 or error.code in (408, 425, 429):
            raise
        refusal = json.load(error)  # fields: {"code", "message", "effect"}
        return failed(refusal["code"], refusal["message"], "none" if refusal.get("effect") == "none" else "possible")

def result_of(request):
    """Returns the reply's result, or None when time ran out."""
    if not fits(request.get("input"), INPUT):
        # This attempt has no effect, but an earlier one may have called the service.
        return failed("input-invalid", "The input does not match the contract.", "none" if request["attempt"] == 1 else "possible")
    pause = 0.1
    while seconds_left(request) > 0:
        try:
            return call_service(request)
        except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
            print(json.dumps({"event": "call-failed", "orderId": request["orderId"], "error": type(error).__name__}))
        time.sleep(max(0, min(pause * random.uniform(0.5, 1), seconds_left(request))))
        pause = min(2, pause * 2)
    return None

def handle(message):
    request = json.loads(message["Body"])
    if not (fits(request, ENVELOPE) and request.get("version") == 1 and request.get("kind") == "request"):
        raise ValueError("no request of version 1")  # not deleted: it becomes a dead letter
    result = result_of(request)
    if result is not None and seconds_left(request) >= 0:  # an agent sends no reply after complete-by
        reply = {name: request[name] for name in ("orderId", "step", "attempt", "action")}
        sqs.send_message(QueueUrl=REPLIES, MessageBody=json.dumps({"version": 1, "kind": "reply", **reply, "result": result}))
    sqs.delete_message(QueueUrl=REQUESTS, ReceiptHandle=message["ReceiptHandle"])

def work():
    while True:
        try:
            for message in sqs.receive_message(QueueUrl=REQUESTS, WaitTimeSeconds=20).get("Messages", []):
                handle(message)
        except Exception as error:  # SQS delivers the message again; other messages continue
            print(json.dumps({"event": "request-failed", "error": type(error).__name__}))
            time.sleep(1)

for _ in range(WORKERS):
    threading.Thread(target=work).start()
