import { closest, distance } from "fastest-levenshtein";

/**
 * The known name that was probably meant, if one is near: at most a third of its letters are wrong, added or
 * missing. Case does not matter.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  // A longer name is no slip of the hand, and comparing takes time by its length.
  if (name.length > LENGTH_MAX) return undefined;
  const byLowerCase = new Map([...known].map((each) => [each.toLowerCase(), each]));
  if (byLowerCase.size === 0) return undefined;
  const nearest = closest(name.toLowerCase(), [...byLowerCase.keys()]);
  const slips = Math.max(1, Math.floor(nearest.length / 3));
  return distance(name.toLowerCase(), nearest) <= slips ? byLowerCase.get(nearest) : undefined;
}

const LENGTH_MAX = 64;
