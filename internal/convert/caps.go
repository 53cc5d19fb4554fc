package convert

// Other stands in a column for every value beyond the column's cap.
const Other = "(other)"

// Caps per project and day. LowCardinality columns keep a dictionary per part
// and degrade beyond some thousands of values; facets are listed to people.
const (
	maxServices      = 1000
	maxEnvs          = 100
	maxReleases      = 2000
	maxNames         = 2000
	maxMethods       = 64
	maxRoutes        = 1000 // per service
	maxUserAgents    = 5000
	maxErrorTypes    = 1000
	maxScopes        = 1000
	maxScopeVersions = 1000
	maxMarks         = 1000
	maxKeys          = 2000 // keys of all map columns together
	maxFacetKeys     = 128
	maxFacetValues   = 256 // per key

	// maxValueLen is the longest value of a capped column: what is longer was
	// not chosen from a list.
	maxValueLen = 1024
	// maxFacetLen is the same for facets, which are meant to be read.
	maxFacetLen = 96
)

// field names a capped column.
type field uint8

const (
	fieldService field = iota
	fieldEnv
	fieldRelease
	fieldName
	fieldMethod
	fieldUserAgent
	fieldErrorType
	fieldScope
	fieldScopeVersion
	fieldMarks
	fieldKey
	fieldRoute
	fieldFacet
	fieldCount
)

// limits are the caps of the columns before fieldKey; the others are counted by
// service or by key.
var limits = [fieldKey]int{
	fieldService: maxServices, fieldEnv: maxEnvs, fieldRelease: maxReleases, fieldName: maxNames,
	fieldMethod: maxMethods, fieldUserAgent: maxUserAgents, fieldErrorType: maxErrorTypes,
	fieldScope: maxScopes, fieldScopeVersion: maxScopeVersions, fieldMarks: maxMarks,
}

// FieldNames are the names under which values beyond a cap are counted.
var FieldNames = [fieldCount]string{
	fieldService: "service", fieldEnv: "env", fieldRelease: "release", fieldName: "name", fieldMethod: "method",
	fieldUserAgent: "user_agent", fieldErrorType: "error_type", fieldScope: "scope_name",
	fieldScopeVersion: "scope_version", fieldMarks: "marks", fieldKey: "attribute_key", fieldRoute: "route",
	fieldFacet: "facet",
}
