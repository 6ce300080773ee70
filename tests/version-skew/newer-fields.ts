/** A field that a future version adds to every object; no version reads it. */
export const NEWER_FIELD = "addedByANewerVersion";

/** Parts of a bank's account from its maker: their names are the protocol's, and no version adds one to them. */
const OF_AN_ACCOUNT = ["settings", "secrets"];

/** The content with one more field in each object, at every depth. */
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
