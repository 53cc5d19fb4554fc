package httpapi

import "net/http"

// ClickHouse error codes this package raises itself or tells apart.
const (
	codeUnsupportedMethod    = 1
	codeBadArguments         = 36
	codeSyntaxError          = 62
	codeUnknownFormat        = 73
	codeNotImplemented       = 48
	codeUnknownTypeOfQuery   = 78
	codeIntoOutfile          = 358
	codeReadonly             = 164
	codeTooManyQueries       = 202
	codeQueryIDRunning       = 216
	codeQueryTooLarge        = 229
	codeAborted              = 236
	codeInvalidTimeout       = 374
	codeCannotDecompress     = 271
	codeZlibInflateFailed    = 354
	codeBrotliReadFailed     = 448
	codeZstdDecoderFailed    = 561
	codeLZ4DecoderFailed     = 618
	codeDatabaseAccessDenied = 291
	codeSessionNotFound      = 372
	codeSessionIsLocked      = 373
	codeAuthenticationFailed = 516
	codeUnknownException     = 1002
)

// statusByCode maps error codes to HTTP statuses as ClickHouse does; every other
// code is 500.
var statusByCode = statuses(map[int][]int{
	http.StatusUnauthorized: {194},                     // REQUIRED_PASSWORD
	http.StatusForbidden:    {192, 193, 497, 512, 516}, // UNKNOWN_USER, WRONG_PASSWORD, ACCESS_DENIED, SET_NON_GRANTED_ROLE, AUTHENTICATION_FAILED
	http.StatusBadRequest: {
		6, 25, 26, 27, 38, 41, 72, // CANNOT_PARSE_TEXT, _ESCAPE_SEQUENCE, _QUOTED_STRING, _INPUT_ASSERTION_FAILED, _DATE, _DATETIME, _NUMBER
		376, 441, 675, 676, // CANNOT_PARSE_UUID, _DOMAIN_VALUE_FROM_STRING, _IPV4, _IPV6
		codeBadArguments, codeSyntaxError, 427, // CANNOT_COMPILE_REGEXP
		8, 15, 44, 53, 117, // THERE_IS_NO_COLUMN, DUPLICATE_COLUMN, ILLEGAL_COLUMN, TYPE_MISMATCH, INCORRECT_DATA
		123, 167, 168, 223, 321, // UNKNOWN_TYPE_OF_AST_NODE, TOO_DEEP_AST, TOO_BIG_AST, UNEXPECTED_AST_STRUCTURE, VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
	},
	// UNKNOWN_FUNCTION, _IDENTIFIER, _TYPE, _STORAGE, _TABLE, _AGGREGATE_FUNCTION, _FORMAT,
	// _TYPE_OF_QUERY, _DATABASE, _SETTING, _DIRECTION_OF_SORTING, _DATABASE_ENGINE, _ROLE
	http.StatusNotFound:              {46, 47, 50, 56, 60, 63, codeUnknownFormat, codeUnknownTypeOfQuery, 81, 115, 152, 336, 511},
	http.StatusRequestEntityTooLarge: {codeQueryTooLarge},
	http.StatusNotImplemented:        {48},           // NOT_IMPLEMENTED
	http.StatusServiceUnavailable:    {76, 209, 439}, // CANNOT_OPEN_FILE, SOCKET_TIMEOUT, CANNOT_SCHEDULE_TASK
	http.StatusRequestTimeout:        {159},          // TIMEOUT_EXCEEDED
	http.StatusLengthRequired:        {381},          // HTTP_LENGTH_REQUIRED
})

func statuses(codes map[int][]int) map[int]int {
	byCode := make(map[int]int)
	for status, list := range codes {
		for _, code := range list {
			byCode[code] = status
		}
	}
	return byCode
}

func statusOf(code int) int {
	if status, ok := statusByCode[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}
