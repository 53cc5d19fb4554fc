// What the page shows of one record.

/**
 * Reads the record shown in an element: its headline, the error, the fields with
 * their titles (where a number is shown rounded, the title has it in full), and
 * the entries of its maps.
 * @returns {Promise<{heading: string, status: string, error: {type: string, message: string,
 *   stack: string} | null, fields: Record<string, {text: string, title: string}>,
 *   maps: Record<string, Record<string, string>>}>}
 */
export function readDetail(element) {
  return element.evaluate((root) => {
    const said = (e) => e?.textContent.trim() ?? '';
    const fields = {};
    const maps = {};
    let error = null;
    for (const section of root.querySelectorAll('section')) {
      const name = said(section.querySelector('h3')).split(/\s/)[0];
      const entries = [...section.querySelectorAll('dl > div')].map((div) => {
        const dd = div.querySelector('dd');
        return [said(div.querySelector('dt')), dd];
      });
      if (section.classList.contains('error')) {
        error = {
          type: said(section.querySelector('h3')),
          message: said(section.querySelector('p')),
          stack: said(section.querySelector('pre')),
        };
      } else if (name === 'Fields') {
        for (const [key, dd] of entries) fields[key] = { text: said(dd), title: dd.title };
      } else if (entries.length > 0) {
        maps[name] = Object.fromEntries(
          entries.map(([key, dd]) => {
            const value = dd.querySelector('.value');
            // A long value stands behind its beginning.
            const long = value.querySelector('details');
            const beginning = long?.querySelector('summary').textContent ?? '';
            return [key, (long ?? value).textContent.trim().slice(beginning.length).trim()];
          }),
        );
      }
    }
    return {
      heading: said(root.querySelector('h2')),
      status: said(root.querySelector('header .badge')),
      error,
      fields,
      maps,
    };
  });
}
