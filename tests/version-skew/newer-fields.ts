/** What a version that does not exist yet adds to every object; no version reads it. */
export const NEWER_FIELD = "addedByANewerVersion";

/** The same content with one field more in each object, at every depth. */
export function withNewerFields(content: unknown): unknown {
  if (Array.isArray(content)) return content.map(withNewerFields);
  if (typeof content !== "object" || content === null) return content;
  const fields = Object.entries(content).map(([name, value]) => [name, withNewerFields(value)]);
  return { ...Object.fromEntries(fields), [NEWER_FIELD]: "2.0.0" };
}
