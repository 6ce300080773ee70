import { carryOut, pause } from "./carry-out.ts";
import { HoldfastError } from "./holdfast-error.ts";
import type { Settings } from "./options.ts";
import type { OperationOutcome, PaymentOutcome, ThreeDsOutcome, Waited } from "./outcomes.ts";
import { endOf, operationOutcome, paymentOutcome, threeDsOutcome } from "./payment-outcome.ts";
import type { Payment } from "./payment-records.ts";
import { read } from "./read.ts";
import type { CsvOptions, PaymentFilter } from "./list-filters.ts";
import { readCsv, readList } from "./read-list.ts";
import { keyOf, idInPath, requestBody } from "./request-body.ts";
import type {
  CallOptions,
  CancelRequest,
  CaptureRequest,
  PaymentRequest,
  PreAuthorizationRequest,
  ThreeDsRequest,
} from "./requests.ts";

export type Payments = {
  /** Authorizes and captures in one step. */
  create(request: PaymentRequest, options?: CallOptions): Promise<PaymentOutcome>;
  /** Reserves funds, which `capture` collects and `cancel` releases. */
  authorize(request: PreAuthorizationRequest, options?: CallOptions): Promise<PaymentOutcome>;
  /** Begins a payment with 3-D Secure: a sale, or an authorization where `transactionType` says so. */
  createWith3ds(request: ThreeDsRequest, options?: CallOptions): Promise<ThreeDsOutcome>;
  /** Captures an authorization one time: all of it, or `amount`. */
  capture(paymentId: string, request?: CaptureRequest, options?: CallOptions): Promise<OperationOutcome>;
  /** Releases an authorization, or voids a sale on its business day. */
  cancel(paymentId: string, request?: CancelRequest, options?: CallOptions): Promise<OperationOutcome>;
  /** A payment or a refund. @throws HoldfastError `payment_not_found` among others. */
  get(paymentId: string): Promise<Payment>;
  /**
   * Lists payments and refunds, newest first; `transactionType` tells them apart. Pages are read while you
   * iterate.
   * @throws HoldfastError during the iteration; the call itself sends nothing.
   */
  list(filter?: PaymentFilter): AsyncIterable<Payment>;
  /**
   * Exports the list as CSV, in pieces of text that may end anywhere.
   * @throws HoldfastError `incomplete_export` among others. Without an error the file is complete.
   */
  exportCsv(filter?: PaymentFilter, options?: CsvOptions): AsyncIterable<string>;
  /**
   * Looks a payment or a refund up until its outcome is known, at most `deadlineMs` (a minute).
   *
   * @throws HoldfastError where it cannot be looked up, such as `payment_not_found`.
   */
  waitForOutcome(paymentId: string, options?: { deadlineMs?: number }): Promise<Waited>;
};

export function createPayments(settings: Settings): Payments {
  const change = async (path: string, request: object, options: CallOptions, createsRecord: boolean) => {
    const key = keyOf(options);
    const body = requestBody(request, settings);
    const ending = await carryOut(settings, { method: "POST", path, body, ...key, createsRecord });
    return { ending, call: { idempotencyKey: key.idempotencyKey, attempts: ending.attempts } };
  };
  const create = async (path: string, request: object, options: CallOptions = {}) =>
    await change(path, request, options, true);
  const operate = async (paymentId: string, kind: string, request: object = {}, options: CallOptions = {}) =>
    operationOutcome(await change(`/api/payment/${idInPath(paymentId)}/${kind}`, request, options, false));
  return {
    create: async (request, options) => paymentOutcome(await create("/api/payment", request, options)),
    authorize: async (request, options) =>
      paymentOutcome(await create("/api/pre-authorization", request, options)),
    createWith3ds: async (request, options) => threeDsOutcome(await create("/api/3ds", request, options)),
    capture: async (paymentId, request, options) => await operate(paymentId, "capture", request, options),
    cancel: async (paymentId, request, options) => await operate(paymentId, "cancel", request, options),
    get: async (paymentId) => await getPayment(settings, paymentId),
    list: (filter) => readList<Payment>(settings, "/api/payments", filter),
    exportCsv: (filter, options) => readCsv(settings, "/api/payments", filter, options),
    waitForOutcome: async (paymentId, options) => await waitForOutcome(settings, paymentId, options),
  };
}

async function getPayment(settings: Settings, paymentId: string): Promise<Payment> {
  return (await read(settings, `/api/payment/${idInPath(paymentId)}`)) as Payment;
}

async function waitForOutcome(
  settings: Settings,
  paymentId: string,
  { deadlineMs = 60_000 }: { deadlineMs?: number } = {},
): Promise<Waited> {
  // The monotonic clock, which no correction of the time moves.
  const endsAt = performance.now() + deadlineMs;
  let payment: Payment | undefined;
  for (let waitMs = WAIT_MS; ; waitMs = Math.min(waitMs * 1.5, WAIT_MS_MAX)) {
    let failure: unknown;
    try {
      payment = await getPayment(settings, paymentId);
      if (endOf(payment) !== undefined) return { settled: true, payment };
    } catch (error) {
      if (!(error instanceof HoldfastError) || !error.retryable) throw error;
      failure = error;
    }
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) {
      if (payment === undefined) throw failure;
      return { settled: false, payment };
    }
    await pause(Math.min(waitMs, leftMs));
  }
}

const WAIT_MS = 500;
const WAIT_MS_MAX = 10_000;
