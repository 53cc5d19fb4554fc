-- requests where status:5xx -service:api
--   p0 = "500"
--   p1 = "599"
--   p2 = "api"
  AND status >= {p0:UInt64}
  AND status <= {p1:UInt64}
  AND NOT (service = {p2:String})

-- events where status:5xx -service:api
--   p0 = "api"
  AND 0
  AND 0
  AND NOT (service = {p0:String})

-- requests where status IN (500, 502) OR NOT (route = '/a' AND method != 'GET')
--   p0 = "500"
--   p1 = "502"
--   p2 = "/a"
--   p3 = "GET"
  AND (status IN ({p0:UInt64}, {p1:UInt64}) OR NOT ((route = {p2:String} AND method != {p3:String})))

-- events where status IN (500, 502) OR NOT (route = '/a' AND method != 'GET')
  AND 1

-- requests where duration:>1.5s response_bytes:1MiB..2MiB
--   p0 = "1500000000"
--   p1 = "1048576"
--   p2 = "2097152"
  AND duration > {p0:UInt64}
  AND response_bytes >= {p1:UInt64}
  AND response_bytes <= {p2:UInt64}

-- events where duration:>1.5s response_bytes:1MiB..2MiB
  AND 0
  AND 0
  AND 0

-- requests where user_id:u_1137
--   p0 = "user_id"
--   p1 = "u_1137"
--   p2 = "u_1137"
  AND if(mapContains(correlation, {p0:String}), correlation[{p0:String}] = {p1:String}, attributes[{p0:String}] = {p2:String})

-- events where user_id:u_1137
--   p0 = "user_id"
--   p1 = "u_1137"
--   p2 = "u_1137"
  AND if(mapContains(correlation, {p0:String}), correlation[{p0:String}] = {p1:String}, attributes[{p0:String}] = {p2:String})

-- requests where retries:>3
--   p0 = "retries"
--   p1 = "4613937818241073152"
--   p2 = "4613937818241073152"
  AND if(mapContains(correlation, {p0:String}), ifNull(if(match(correlation[{p0:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(correlation[{p0:String}], '+')))), toFloat64OrNull(trimLeft(correlation[{p0:String}], '+')), NULL) > reinterpretAsFloat64({p1:UInt64}), 0), ifNull(if(match(attributes[{p0:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p0:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p0:String}], '+')), NULL) > reinterpretAsFloat64({p2:UInt64}), 0))

-- events where retries:>3
--   p0 = "retries"
--   p1 = "4613937818241073152"
--   p2 = "4613937818241073152"
  AND if(mapContains(correlation, {p0:String}), ifNull(if(match(correlation[{p0:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(correlation[{p0:String}], '+')))), toFloat64OrNull(trimLeft(correlation[{p0:String}], '+')), NULL) > reinterpretAsFloat64({p1:UInt64}), 0), ifNull(if(match(attributes[{p0:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p0:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p0:String}], '+')), NULL) > reinterpretAsFloat64({p2:UInt64}), 0))

-- requests where retries IN (1, 'x')
--   p0 = "retries"
--   p1 = "1"
--   p2 = "x"
--   p3 = "1"
--   p4 = "x"
  AND if(mapContains(correlation, {p0:String}), correlation[{p0:String}] IN ({p1:String}, {p2:String}), attributes[{p0:String}] IN ({p3:String}, {p4:String}))

-- events where retries IN (1, 'x')
--   p0 = "retries"
--   p1 = "1"
--   p2 = "x"
--   p3 = "1"
--   p4 = "x"
  AND if(mapContains(correlation, {p0:String}), correlation[{p0:String}] IN ({p1:String}, {p2:String}), attributes[{p0:String}] IN ({p3:String}, {p4:String}))

-- requests where attributes['n'] NOT IN (1, 2.5, 'x', '')
--   p0 = "n"
--   p1 = "4607182418800017408"
--   p2 = "4612811918334230528"
--   p3 = "x"
--   p4 = ""
  AND (mapContains(attributes, {p0:String}) AND NOT ((attributes[{p0:String}] IN ({p3:String}, {p4:String}) OR ifNull(if(match(attributes[{p0:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p0:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p0:String}], '+')), NULL) + 0. IN (reinterpretAsFloat64({p1:UInt64}), reinterpretAsFloat64({p2:UInt64})), 0))))

-- events where attributes['n'] NOT IN (1, 2.5, 'x', '')
--   p0 = "n"
--   p1 = "4607182418800017408"
--   p2 = "4612811918334230528"
--   p3 = "x"
--   p4 = ""
  AND (mapContains(attributes, {p0:String}) AND NOT ((attributes[{p0:String}] IN ({p3:String}, {p4:String}) OR ifNull(if(match(attributes[{p0:String}], '^[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$') AND isFinite(assumeNotNull(toFloat64OrNull(trimLeft(attributes[{p0:String}], '+')))), toFloat64OrNull(trimLeft(attributes[{p0:String}], '+')), NULL) + 0. IN (reinterpretAsFloat64({p1:UInt64}), reinterpretAsFloat64({p2:UInt64})), 0))))

-- requests where attributes['http.route'] LIKE '/a/%'
--   p0 = "http.route"
--   p1 = "/a/"
  AND ((mapContains(attributes, {p0:String}) OR (route != '' AND kind = 'http' AND NOT has(splitByChar(',', toString(marks)), 'route_derived'))) AND startsWith(if(mapContains(attributes, {p0:String}), attributes[{p0:String}], toString(route)), {p1:String}))

-- events where attributes['http.route'] LIKE '/a/%'
--   p0 = "http.route"
--   p1 = "/a/"
  AND (mapContains(attributes, {p0:String}) AND startsWith(attributes[{p0:String}], {p1:String}))

-- requests where resource.service.name:api
--   p0 = "service.name"
--   p1 = "api"
  AND ((mapContains(resource, {p0:String}) OR (service != '')) AND if(mapContains(resource, {p0:String}), resource[{p0:String}], toString(service)) = {p1:String})

-- events where resource.service.name:api
--   p0 = "service.name"
--   p1 = "api"
  AND ((mapContains(resource, {p0:String}) OR (service != '')) AND if(mapContains(resource, {p0:String}), resource[{p0:String}], toString(service)) = {p1:String})

-- requests where route:/projects/* name LIKE '%a%' path LIKE '%.js' path LIKE '/a_c%'
--   p0 = "/projects/"
--   p1 = "a"
--   p2 = ".js"
--   p3 = "(?s:\\A/a.c.*\\z)"
  AND startsWith(route, {p0:String})
  AND position(name, {p1:String}) > 0
  AND endsWith(path, {p2:String})
  AND match(toValidUTF8(path), {p3:String})

-- events where route:/projects/* name LIKE '%a%' path LIKE '%.js' path LIKE '/a_c%'
--   p0 = "a"
  AND 0
  AND position(name, {p0:String}) > 0
  AND 0
  AND 0

-- requests where error_message ILIKE '%timed out%' OR error_message ILIKE '%task%' OR error_message !~ '(?i)task \\d+.'
--   p0 = "timed out"
--   p1 = "[Tt][Aa][Ssſ][KkK]"
--   p2 = "(?-s:[Tt][Aa][Ssſ][KkK] [0-9]+.)"
  AND (positionCaseInsensitive(error_message, {p0:String}) > 0 OR match(error_message, {p1:String}) OR NOT (match(toValidUTF8(error_message), {p2:String})))

-- events where error_message ILIKE '%timed out%' OR error_message ILIKE '%task%' OR error_message !~ '(?i)task \\d+.'
--   p0 = "timed out"
--   p1 = "[Tt][Aa][Ssſ][KkK]"
--   p2 = "(?-s:[Tt][Aa][Ssſ][KkK] [0-9]+.)"
  AND (positionCaseInsensitive(error_message, {p0:String}) > 0 OR match(error_message, {p1:String}) OR NOT (match(toValidUTF8(error_message), {p2:String})))

-- requests where "timed out" task 500
--   p0 = "timed out"
--   p1 = "timed out"
--   p10 = "500"
--   p11 = "500"
--   p2 = "timed out"
--   p3 = "timed out"
--   p4 = "[Tt][Aa][Ssſ][KkK]"
--   p5 = "[Tt][Aa][Ssſ][KkK]"
--   p6 = "[Tt][Aa][Ssſ][KkK]"
--   p7 = "[Tt][Aa][Ssſ][KkK]"
--   p8 = "500"
--   p9 = "500"
  AND (positionCaseInsensitive(route, {p0:String}) > 0 OR positionCaseInsensitive(name, {p1:String}) > 0 OR positionCaseInsensitive(error_type, {p2:String}) > 0 OR positionCaseInsensitive(error_message, {p3:String}) > 0)
  AND (match(route, {p4:String}) OR match(name, {p5:String}) OR match(error_type, {p6:String}) OR match(error_message, {p7:String}))
  AND (position(route, {p8:String}) > 0 OR position(name, {p9:String}) > 0 OR position(error_type, {p10:String}) > 0 OR position(error_message, {p11:String}) > 0)

-- events where "timed out" task 500
--   p0 = "timed out"
--   p1 = "timed out"
--   p10 = "500"
--   p11 = "500"
--   p2 = "timed out"
--   p3 = "timed out"
--   p4 = "[Tt][Aa][Ssſ][KkK]"
--   p5 = "[Tt][Aa][Ssſ][KkK]"
--   p6 = "[Tt][Aa][Ssſ][KkK]"
--   p7 = "[Tt][Aa][Ssſ][KkK]"
--   p8 = "500"
--   p9 = "500"
  AND (positionCaseInsensitive(name, {p0:String}) > 0 OR positionCaseInsensitive(error_type, {p1:String}) > 0 OR positionCaseInsensitive(error_message, {p2:String}) > 0 OR positionCaseInsensitive(message, {p3:String}) > 0)
  AND (match(name, {p4:String}) OR match(error_type, {p5:String}) OR match(error_message, {p6:String}) OR match(message, {p7:String}))
  AND (position(name, {p8:String}) > 0 OR position(error_type, {p9:String}) > 0 OR position(error_message, {p10:String}) > 0 OR position(message, {p11:String}) > 0)

-- requests where EXISTS route EXISTS user_id EXISTS attributes.plan EXISTS trace_id EXISTS error_group EXISTS status EXISTS ts
--   p0 = "user_id"
--   p1 = "plan"
  AND notEmpty(route)
  AND if(mapContains(correlation, {p0:String}), mapContains(correlation, {p0:String}), mapContains(attributes, {p0:String}))
  AND mapContains(attributes, {p1:String})
  AND notEmpty(trace_id)
  AND error_group != 0
  AND status != 0
  AND 1

-- events where EXISTS route EXISTS user_id EXISTS attributes.plan EXISTS trace_id EXISTS error_group EXISTS status EXISTS ts
--   p0 = "user_id"
--   p1 = "plan"
  AND 0
  AND if(mapContains(correlation, {p0:String}), mapContains(correlation, {p0:String}), mapContains(attributes, {p0:String}))
  AND mapContains(attributes, {p1:String})
  AND notEmpty(trace_id)
  AND error_group != 0
  AND 0
  AND 1

-- requests where trace_id IN ('4bf92f3577b34da6a3ce929d0e0e4736', '4bf92f3577b34da6a3ce929d0e0e4737') error_group != '00000000000000ff'
--   p0 = "4bf92f3577b34da6a3ce929d0e0e4736"
--   p1 = "4bf92f3577b34da6a3ce929d0e0e4737"
--   p2 = "255"
  AND trace_id IN (toFixedString(unhex({p0:String}), 16), toFixedString(unhex({p1:String}), 16))
  AND error_group != {p2:UInt64}

-- events where trace_id IN ('4bf92f3577b34da6a3ce929d0e0e4736', '4bf92f3577b34da6a3ce929d0e0e4737') error_group != '00000000000000ff'
--   p0 = "4bf92f3577b34da6a3ce929d0e0e4736"
--   p1 = "4bf92f3577b34da6a3ce929d0e0e4737"
--   p2 = "255"
  AND trace_id IN (toFixedString(unhex({p0:String}), 16), toFixedString(unhex({p1:String}), 16))
  AND error_group != {p2:UInt64}

-- requests where type:request (type:event OR severity:9) -message:x
  AND 1
  AND 0
  AND 1

-- events where type:request (type:event OR severity:9) -message:x
--   p0 = "x"
  AND 0
  AND 1
  AND NOT (message = {p0:String})

-- requests where status > -1 OR status = 0.5
  AND 1

-- events where status > -1 OR status = 0.5
  AND 0

