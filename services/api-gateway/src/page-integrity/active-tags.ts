/**
 * The tags of a page that run or load something, or lead somewhere, each as it stands with its white space in one: to be
 * compared as text. Nothing is parsed as a browser would, so that nothing is read in another way: any text that begins
 * like such a tag counts.
 */
export function activeTags(page: string): string[] {
  return page
    .split("<")
    .slice(1)
    .map((piece) => piece.slice(0, endOf(piece)).replaceAll(/\s+/g, " ").trim())
    .filter(isActive);
}

function endOf(piece: string): number {
  const end = piece.indexOf(">");
  return end === -1 ? piece.length : end;
}

function isActive(tag: string): boolean {
  const name = /^[a-z][a-z0-9-]*/i.exec(tag)?.[0].toLowerCase();
  if (name === undefined) return false;
  if (name === "meta") return /http-equiv/i.test(tag) && !RELOAD.test(tag);
  return ACTIVE.has(name) || hasActiveAttribute(tag.toLowerCase().replaceAll(" =", "="));
}

function hasActiveAttribute(tag: string): boolean {
  return tag.includes("javascript:") || tag.split(/[\s/"']/).some((word) => ACTIVE_ATTRIBUTE.test(word));
}

const ACTIVE: ReadonlySet<string> = new Set([
  "applet",
  "base",
  "embed",
  "fencedframe",
  "frame",
  "iframe",
  "link",
  "object",
  "portal",
  "script",
  "style",
]);

const ACTIVE_ATTRIBUTE = /^(?:on[a-z]+|style|srcdoc|formaction)=/;

/** The page that waits for an outcome comes again, without going anywhere. */
const RELOAD = /^meta http-equiv="refresh" content="\d" \/$/;
