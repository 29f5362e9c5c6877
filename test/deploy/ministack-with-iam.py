"""MiniStack whose HTTP APIs ask for a signature where a route's authorizer is IAM, and say whose it is, as AWS does.

MiniStack 1.4.21 lets everybody into such a route and tells the function nobody's name. What the caller's policies allow is not
checked here either, nor is the signature: test/infra/access.test.ts evaluates the policies.

It also refuses a stack with an alarm that computes from several metrics. Such an alarm is made here as one on the last of them.
"""

import contextvars
import json
import os
import re

from ministack import app
from ministack.services import apigateway, lambda_svc
from ministack.services.cloudformation import provisioners

import pollers

signer = contextvars.ContextVar("signer", default=None)
execute_api = apigateway.handle_execute
execute_function = lambda_svc._execute_function_with_config_scope


async def authorised(api_id, stage, path, method, headers, body, query_params):
    route = apigateway._match_route(api_id, method, path) or {}
    if route.get("authorizationType") != "AWS_IAM":
        return await execute_api(api_id, stage, path, method, headers, body, query_params)
    given = {name.lower(): value for name, value in headers.items()}.get("authorization", "")
    signed = re.match(r"AWS4-HMAC-SHA256 Credential=([^/]+)/", given)
    if signed is None:
        return 403, {"Content-Type": "application/json"}, json.dumps({"message": "Forbidden"}).encode()
    token = signer.set(signed[1])
    try:
        return await execute_api(api_id, stage, path, method, headers, body, query_params)
    finally:
        signer.reset(token)


def told_who(function, event):
    key = signer.get()
    context = event.get("requestContext") if isinstance(event, dict) else None
    if key is not None and isinstance(context, dict) and "http" in context:
        account = context["accountId"]
        context["authorizer"] = {
            "iam": {
                "accessKey": key,
                "accountId": account,
                "callerId": key,
                "cognitoIdentity": None,
                "principalOrgId": None,
                "userArn": f"arn:aws:iam::{account}:user/{key}",
                "userId": key,
            }
        }
    return execute_function(function, event)


alarms = provisioners._RESOURCE_HANDLERS["AWS::CloudWatch::Alarm"]
create_alarm = alarms["create"]


def create_any_alarm(logical_id, props, stack_name):
    read = [one["MetricStat"]["Metric"] for one in props.get("Metrics") or [] if "MetricStat" in one]
    one = {name: value for name, value in props.items() if name != "Metrics"}
    return create_alarm(logical_id, {**one, **(read[-1] if read else {})}, stack_name)


alarms["create"] = create_any_alarm
apigateway.handle_execute = authorised
lambda_svc._execute_function_with_config_scope = told_who
if os.environ.get("QUEUE_POLLERS") == "as-lambda":
    pollers.use()
app.main()
