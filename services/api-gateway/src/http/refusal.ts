import type { FieldFault, ProblemCode } from "@holdfast/contracts";

/** The answer to a request that is not carried out. It is a value, since refusing is no failure of ours. */
export class Refusal {
  readonly code: ProblemCode;
  readonly extra: RefusalExtra | undefined;

  constructor(code: ProblemCode, extra?: RefusalExtra) {
    this.code = code;
    this.extra = extra;
  }
}

type RefusalExtra = {
  detail?: string | undefined;
  headers?: Record<string, string>;
  /** Members of the problem beside the standard ones. */
  members?: { errors?: FieldFault[]; paymentId?: string } | Record<string, unknown> | undefined;
};
