package columns

// RowsByProject calls f for each project that rows of the part belong to, with
// their number in each table; a project comes once.
func (p *Part) RowsByProject(f func(project string, requests, spans, events int)) {
	var order []uint32
	counts := map[uint32]*[tableCount]int{}
	add := func(project uint32, t tableID, n int) {
		c := counts[project]
		if c == nil {
			c = &[tableCount]int{}
			counts[project] = c
			order = append(order, project)
		}
		c[t] += n
	}
	for t := range tableCount {
		rows := p.rows[t]
		if p.tables[t] == nil || rows.len() == 0 {
			continue
		}
		switch v := &p.tables[t].cols[cProject]; v.form {
		case formFull:
			for row := rows.lo; row < rows.hi; row++ {
				add(indexAt(v.idx, p.in.width, row), t, 1)
			}
		case formConstant:
			add(indexAt(v.idx, p.in.width, 0), t, rows.len())
		default:
			add(0, t, rows.len()) // the dictionary begins with the empty string
		}
	}
	for _, i := range order {
		c := counts[i]
		f(string(p.in.dict[i]), c[requests], c[spans], c[events])
	}
}
