import { randomUUID } from "node:crypto";
import {
  PROBLEMS,
  problemType,
  staffEndpointOf,
  type Endpoint,
  type Problem,
  type ProblemCode,
} from "@holdfast/contracts";
import { z } from "zod";
import {
  OperatorApiProblemError,
  OperatorApiUnavailableError,
  type Call,
  type Changed,
  type OperatorApi,
} from "./operator-api.ts";

/**
 * The staff API under the operators' names: each page makes the same calls as for an operator, and gets the
 * part that a merchant's staff may see. Anything that is not theirs, such as another merchant, does not exist
 * for them. Records in test mode are found as well.
 *
 * @param api the staff API itself; undefined if the installation has none.
 * @param merchantId the person's merchant, the only one that a page can ask about.
 */
export function asStaffApi(api: OperatorApi | undefined, merchantId: string): OperatorApi {
  if (!api) return UNAVAILABLE;
  const own = (endpoint: Endpoint, call: Call): Endpoint => {
    const found = staffEndpointOf(endpoint);
    if (!found) throw new OperatorApiProblemError(problemOf("route_not_found"));
    if (namesAnother(call, merchantId)) throw new OperatorApiProblemError(problemOf("merchant_not_found"));
    return found;
  };
  /** Live mode first, then test mode. */
  const inEitherMode = async <Answer>(staffs: Endpoint, call: Call, ask: (call: Call) => Promise<Answer>) => {
    const asked = { ...call, query: known(staffs, call.query) };
    try {
      return await ask(asked);
    } catch (error) {
      const isMissing = error instanceof OperatorApiProblemError && error.problem.status === 404;
      if (!isMissing || !hasModes(staffs)) throw error;
      return await ask({ ...asked, query: { ...asked.query, livemode: "false" } });
    }
  };
  return {
    async read(endpoint, call = {}) {
      const staffs = own(endpoint, call);
      // The part that staff see has the operators' form, but for fields that may be absent.
      return (await inEitherMode(staffs, call, (asked) => api.read(staffs, asked))) as never;
    },
    async change(endpoint, { key, ...call }) {
      const staffs = staffEndpointOf(endpoint);
      if (!staffs) return { done: false, problem: problemOf("forbidden") };
      if (namesAnother(call, merchantId)) return { done: false, problem: problemOf("merchant_not_found") };
      const asked = withoutMerchant(staffs, endpoint, call);
      const changed = await api.change(staffs, { ...asked, key });
      if (changed.done || changed.problem.status !== 404 || !hasModes(staffs))
        return changed as Changed<never>;
      return (await api.change(staffs, { ...asked, key, query: { livemode: "false" } })) as Changed<never>;
    },
    // Staff upload no files.
    upload: async () => ({ done: false, problem: problemOf("forbidden") }),
    async download(endpoint, mediaType, call) {
      const staffs = own(endpoint, call);
      return await inEitherMode(staffs, call, (asked) => api.download(staffs, mediaType, asked));
    },
  };
}

type Query = NonNullable<Call["query"]>;

/** True if a page asks about a merchant that is not the person's. */
function namesAnother({ path, query, body }: Call, merchantId: string): boolean {
  const inBody = typeof body === "object" && body !== null && "merchantId" in body ? body.merchantId : "";
  return [path?.["merchantId"], query?.["merchantId"], inBody].some((named) => named && named !== merchantId);
}

/** Leaves out the merchant, and fields that only operators see. */
function known({ queryParameters }: Endpoint, query: Query = {}): Query {
  return Object.fromEntries(
    Object.entries(query).filter(([name]) => queryParameters && name in queryParameters.shape),
  );
}

/** Moves the mode of a change, which operators name with the merchant, into the query. */
function withoutMerchant(staffs: Endpoint, of: Endpoint, { body, query, ...call }: Call): Call {
  const namesOne = of.request instanceof z.ZodObject && "merchantId" in of.request.shape;
  if (!namesOne || typeof body !== "object" || body === null)
    return { ...call, body, query: known(staffs, query) };
  const { merchantId: _merchant, livemode, ...own } = body as Record<string, unknown>;
  return {
    ...call,
    body: own,
    query: known(staffs, { ...query, ...(livemode === false && { livemode: "false" }) }),
  };
}

/** A single thing is found by its id, without knowing in which mode it was made. */
function hasModes({ pathParameters, queryParameters }: Endpoint): boolean {
  return pathParameters !== undefined && queryParameters !== undefined && "livemode" in queryParameters.shape;
}

function problemOf(code: ProblemCode): Problem {
  const { status, title } = PROBLEMS[code];
  const requestId = randomUUID();
  return { type: problemType(code), title, status, code, requestId, instance: `urn:uuid:${requestId}` };
}

async function unavailable(): Promise<never> {
  throw new OperatorApiUnavailableError("this installation has no API for merchants' staff");
}

const UNAVAILABLE: OperatorApi = {
  read: unavailable,
  change: unavailable,
  upload: unavailable,
  download: unavailable,
};
