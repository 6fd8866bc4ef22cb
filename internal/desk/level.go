package desk

// Level is a priority or a severity.
type Level string

// The values of Level.
const (
	Low      Level = "LOW"
	Medium   Level = "MEDIUM"
	High     Level = "HIGH"
	Critical Level = "CRITICAL"
)

// Levels lists all values, least first.
func Levels() []Level { return []Level{Low, Medium, High, Critical} }
