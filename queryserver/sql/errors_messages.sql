SELECT error_group, substringUTF8(error_message, 1, {{.Length}}) AS message
FROM {{.Table}}
WHERE project = {project:String}
  AND ts >= {{.From}}
  AND ts < {{.To}}
  AND (ts, rid) IN (
    SELECT fromUnixTimestamp64Nano(place.1, 'UTC'), place.2
    FROM (SELECT arrayJoin(arrayZip({{.Times}}, {{.RIDs}})) AS place)
  )
