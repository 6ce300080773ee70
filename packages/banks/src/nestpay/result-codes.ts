import type { DeclineClass } from "@holdfast/acquirer";
import type { BankAnswer } from "./read-answer.ts";

/**
 * The meaning of a refusal's code. Only a code that is on a list is a refusal. For every other one the order's history
 * is read, which costs a moment, while a decline for an approved payment costs the merchant's trust.
 */
export type CodeMeaning =
  /** Refused, and nothing was done. `core` is the number of the gateway's code, where the gateway refused. */
  | { kind: "refused"; code: string; core?: number; declineClass?: DeclineClass }
  /** The bank does not take calls of this account: user, password, address, terminal. Nothing was done. */
  | { kind: "account" }
  /** Another call of this order has won, or is under way, or the issuer has not answered: the history will tell. */
  | { kind: "undecided" }
  /** The gateway's own failure, or no code that is known. */
  | { kind: "failed" };

/** @param installmentCount of the call that was refused. */
export function meaningOf(answer: BankAnswer, { installmentCount = 1 } = {}): CodeMeaning {
  const { errorCode, numCode, procReturnCode } = answer;
  const fromError = gatewayCode(errorCode);
  const fromNumber = /^99(\d{4})$/.exec(numCode)?.[1];
  const isOwnFailure = /^BM-|^(?:2100|91\d\d)$/.test(errorCode);
  if (isOwnFailure || (fromError && fromNumber && fromError !== fromNumber)) return FAILED;
  const gateway = fromError ?? fromNumber;
  if (gateway !== undefined) {
    // A refusal of the gateway and one of the issuer: one of the two is not about this call.
    if (procReturnCode !== "99" && procReturnCode !== "") return FAILED;
    return gatewayMeaning(Number(gateway), installmentCount > 1);
  }
  const issuer = /^ISO8583-([0-9A-Z]{2})$/.exec(errorCode)?.[1];
  if (issuer && procReturnCode && issuer !== procReturnCode) return FAILED;
  return issuerMeaning(procReturnCode || issuer || "");
}

/** The number of a `CORE` code. Two codes of one kind of terminal are written otherwise. */
function gatewayCode(errorCode: string): string | undefined {
  return OTHER_SPELLINGS.get(errorCode) ?? /^CORE-(\d{4})$/.exec(errorCode)?.[1];
}

const OTHER_SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["215001", "2008"],
  ["215021", "2504"],
]);

function gatewayMeaning(core: number, hasInstallments: boolean): CodeMeaning {
  const refused = { kind: "refused", code: `CORE-${core}`, core } as const;
  // "Not permitted to the merchant" is about the instalments where there are any, and else about the account.
  if (core === 2204 && hasInstallments) return { ...refused, declineClass: "technical" };
  if (UNDECIDED_CORE.has(core)) return { kind: "undecided" };
  if (ACCOUNT_CORE.has(core)) return { kind: "account" };
  const declineClass = CORE_CLASSES.get(core);
  return declineClass ? { ...refused, declineClass } : FAILED;
}

function issuerMeaning(code: string): CodeMeaning {
  if (UNDECIDED_ISSUER.has(code)) return { kind: "undecided" };
  // "See the host's message": the issuer refused, and did not say why in a code.
  if (code === "SF") return { kind: "refused", code };
  const declineClass = ISSUER_CLASSES.get(code);
  return declineClass ? { kind: "refused", code, declineClass } : FAILED;
}

const FAILED: CodeMeaning = { kind: "failed" };

/** Host time-outs, of which 92 says that the gateway reverses by itself; and "try again". */
const UNDECIDED_ISSUER: ReadonlySet<string> = new Set(["19", "91", "92", "96"]);

/**
 * The order already has a success (2507), its id is in use (2302), its authentication has been used (2127), or a call of it is
 * waiting or running (2016, 2304).
 */
const UNDECIDED_CORE: ReadonlySet<number> = new Set([2016, 2127, 2302, 2304, 2507]);

/** Mode, closed merchant, user or password, rights, address, locked terminal. */
const ACCOUNT_CORE: ReadonlySet<number> = new Set([
  1006, 2126, 2201, 2202, 2204, 2254, 2311, 2312, 2313, 2314, 2315, 2316,
]);

const ISSUER_CLASSES = classes({
  soft: ["01", "02", "05", "81", "82", "84"],
  hard: "12 14 15 33 36 38 52 53 54 55 57 62 63 75 80 93 GK".split(" "),
  stolen: ["04", "07", "34", "41", "43", "YK"],
  limit: ["51", "61", "65"],
  technical: "03 13 20 25 28 29 30 58 77 98".split(" "),
});

const CORE_CLASSES = classes({
  soft: [2208, 2515],
  hard: [2010, 2012, 2124, 2250, 2251, 2252, 2253, 2255, 2256, 2513, 2514, 2517],
  sca_required: [2206],
  // The request or the order's state is refused before any issuer sees it.
  technical: [
    [1007, 1008, 1010, range(1011, 1024), 1028],
    [2001, 2002, 2003, 2008, 2009, 2011, 2013, 2014, 2015, range(2020, 2034)],
    [2115, 2116, 2117, 2119, 2120, 2121, 2123, 2133, 2301],
    [2503, 2504, 2505, 2506, 2508, 2509, 2511, 2512, 2601, 2603],
  ].flat(2),
});

function classes<Code>(codes: Partial<Record<DeclineClass, readonly Code[]>>): Map<Code, DeclineClass> {
  const entries = Object.entries(codes) as [DeclineClass, readonly Code[]][];
  return new Map(entries.flatMap(([declineClass, of]) => of.map((code) => [code, declineClass] as const)));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
