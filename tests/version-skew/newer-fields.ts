/** What a version that does not exist yet adds to every object; no version reads it. */
export const NEWER_FIELD = "addedByANewerVersion";

/** What a bank's account is given by whoever makes it: its names are the protocol's, and no version adds one to them. */
const OF_AN_ACCOUNT = ["settings", "secrets"];

/** The same content with one field more in each object, at every depth. */
export function withNewerFields(content: unknown): unknown {
  if (Array.isArray(content)) return content.map(withNewerFields);
  if (typeof content !== "object" || content === null) return content;
  const given = "protocol" in content ? OF_AN_ACCOUNT : [];
  const fields = Object.entries(content).map(([name, value]) => [
    name,
    given.includes(name) ? value : withNewerFields(value),
  ]);
  return { ...Object.fromEntries(fields), [NEWER_FIELD]: "2.0.0" };
}
