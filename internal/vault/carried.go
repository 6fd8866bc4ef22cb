package vault

// SourceIn says where the key lies of a vault that these rows are of, "" when it is empty. The rows are not opened.
func SourceIn(rows map[string]string) Source {
	raw, ok := rows[headerName]
	if !ok {
		return ""
	}
	h, err := readHeader(raw)
	if err != nil {
		return ""
	}
	return h.Source
}
