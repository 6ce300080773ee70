/**
 * A document as its tags and texts, each with its white space in one. Nothing else is changed, so that two documents with
 * the same lines are the same to a browser. Nothing is parsed as a browser would, so that nothing is read in another way.
 */
export function htmlLines(page: string): string[] {
  return (page.match(/<[^>]*>?|[^<]+/g) ?? [])
    .map((piece) => piece.replaceAll(/[ \t\r\n\f]+/g, " ").replaceAll(/^ | $| (?=>$)/g, ""))
    .filter((line) => line !== "");
}
