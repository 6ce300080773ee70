/**
 * A document as its tags and texts, with each run of white space as one. Nothing else is changed, so two
 * documents with the same lines are the same to a browser. Nothing is parsed as a browser would, so that
 * nothing can be interpreted differently.
 */
export function htmlLines(page: string): string[] {
  return (page.match(/<[^>]*>?|[^<]+/g) ?? [])
    .map((piece) => piece.replaceAll(/[ \t\r\n\f]+/g, " ").replaceAll(/^ | $| (?=>$)/g, ""))
    .filter((line) => line !== "");
}
