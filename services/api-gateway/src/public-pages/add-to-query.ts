/**
 * Adds to a URL's query as text: parsing and writing would spell the merchant's own query anew, which may be signed.
 */
export function addToQuery(url: string, added: Record<string, string>): string {
  const fragmentAt = url.indexOf("#");
  const address = fragmentAt === -1 ? url : url.slice(0, fragmentAt);
  const fragment = fragmentAt === -1 ? "" : url.slice(fragmentAt);
  const joint = address.includes("?") ? (/[?&]$/.test(address) ? "" : "&") : "?";
  return `${address}${joint}${new URLSearchParams(added).toString()}${fragment}`;
}
