-- rows as the first release inserted them; the views fill the other tables
INSERT INTO trackway.requests (project, ts, rid, kind, service, env, release, name, method, route, path, status, span_status, duration, trace_id, span_id, request_id, request_bytes, response_bytes, error_type, error_group, attributes, resource, correlation, facet_items, weight, ttl_days, unit)
SELECT 'default', toDateTime64('2026-11-28 10:00:00', 9, 'UTC') + toIntervalMillisecond(number * 97000), number, 'http', 'api', 'prod', 'v1', 'GET /r', 'GET', concat('/r/', toString(number % 7)), concat('/r/', toString(number)), 200 + 100 * (number % 4), 'ok', number * 1000003, toFixedString(leftPad(toString(number % 500), 16, '0'), 16), toFixedString(leftPad(toString(number), 8, '0'), 8), concat('r-', toString(number)), number, 2 * number, '', 0, map('plan', 'pro', 'n', toString(number)), map('host.name', 'h1'), map('user_id', concat('u_', toString(number % 50)), 'order_id', concat('o_', toString(number))), ['plan=pro', '(other)'], 256 * (1 + number % 2), 365, number % 9
FROM numbers(2000);

INSERT INTO trackway.spans (project, ts, rid, kind, service, name, span_status, duration, trace_id, span_id, attributes, correlation, weight, ttl_days, unit)
SELECT 'default', toDateTime64('2026-11-28 10:00:00', 9, 'UTC') + toIntervalMillisecond(number * 97000), number, 'client', 'api', 'SELECT', 'unset', number, toFixedString(leftPad(toString(number % 500), 16, '0'), 16), toFixedString(leftPad(toString(number), 8, '1'), 8), map('db.system', 'pg'), map('user_id', concat('u_', toString(number % 50))), 256, 365, number % 9
FROM numbers(3000);

INSERT INTO trackway.events (project, ts, rid, service, name, severity, message, trace_id, attributes, correlation, weight, ttl_days, unit)
SELECT 'other', toDateTime64('2026-11-28 10:00:00', 9, 'UTC') + toIntervalMillisecond(number * 97000), number, 'api', 'order.paid', 9, 'paid', toFixedString(leftPad(toString(number % 500), 16, '0'), 16), map('a', 'b'), map('order_id', concat('o_', toString(number))), 256, 365, number % 9
FROM numbers(1000);
