import { randomUUID } from "node:crypto";
import {
  PROBLEMS,
  problemType,
  staffEndpointOf,
  type Endpoint,
  type Problem,
  type ProblemCode,
} from "@holdfast/contracts";
import {
  OperatorApiProblemError,
  OperatorApiUnavailableError,
  type Changed,
  type OperatorApi,
} from "./operator-api.ts";

/**
 * The staff API under the names of the operators': each page asks what it asks as an operator, and gets what a merchant's
 * staff may have of it. What is not theirs is as unknown as what does not exist. What is of test mode is found as well.
 *
 * @param api the staff API itself; undefined where the installation has none.
 */
export function asStaffApi(api: OperatorApi | undefined): OperatorApi {
  if (!api) return UNAVAILABLE;
  const own = (endpoint: Endpoint): Endpoint => {
    const found = staffEndpointOf(endpoint);
    if (!found) throw new OperatorApiProblemError(problemOf("route_not_found"));
    return found;
  };
  return {
    async read(endpoint, call = {}) {
      const staffs = own(endpoint);
      const asked = { ...call, query: known(staffs, call.query) };
      try {
        return (await api.read(staffs, asked)) as never;
      } catch (error) {
        const isMissing = error instanceof OperatorApiProblemError && error.problem.status === 404;
        if (!isMissing || !hasModes(staffs)) throw error;
        return (await api.read(staffs, { ...asked, query: { ...asked.query, livemode: "false" } })) as never;
      }
    },
    async change(endpoint, call) {
      const staffs = staffEndpointOf(endpoint);
      if (!staffs) return { done: false, problem: problemOf("forbidden") };
      const changed = await api.change(staffs, call);
      if (changed.done || changed.problem.status !== 404 || !hasModes(staffs))
        return changed as Changed<never>;
      return (await api.change(staffs, { ...call, query: { livemode: "false" } })) as Changed<never>;
    },
    exportCsv: (endpoint, query) => api.exportCsv(own(endpoint), known(own(endpoint), query)),
  };
}

type Query = Record<string, string | undefined>;

/** Nobody names a merchant here, nor asks for what only operators see. */
function known({ queryParameters }: Endpoint, query: Query = {}): Query {
  return Object.fromEntries(
    Object.entries(query).filter(([name]) => queryParameters && name in queryParameters.shape),
  );
}

/** Of one thing: whoever has its id need not know in which mode it was made. */
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

const UNAVAILABLE: OperatorApi = { read: unavailable, change: unavailable, exportCsv: unavailable };
