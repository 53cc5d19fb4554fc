// Bodies of requests and responses, made readable.

/** Beyond this a body is shown as it came: to parse and lay it out would hold the page up. */
const PRETTY_LIMIT = 512 * 1024; // characters

/** How much of a body is shown before it is unfolded. */
export const FOLD_LIMIT = 4000; // characters

/** JSON indented by two; anything else as it came. */
export function pretty(body: string): { text: string; json: boolean } {
  if (body.length > PRETTY_LIMIT || !/^\s*[[{]/.test(body)) return { text: body, json: false };
  try {
    return { text: JSON.stringify(JSON.parse(body), null, 2), json: true };
  } catch {
    return { text: body, json: false }; // cut or not JSON after all
  }
}
