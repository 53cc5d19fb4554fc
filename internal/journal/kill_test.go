package journal

const childEnv = "TRACKWAY_JOURNAL_TEST_CHILD"

func runChild() int { return 0 }
