import { MERCHANT_ANSWERS, MERCHANT_REQUESTS } from "./examples/merchant-examples.ts";
import {
  OPERATOR_MERCHANT_ANSWERS,
  OPERATOR_MERCHANT_REQUESTS,
} from "./examples/operator-merchant-examples.ts";
import { OPERATOR_PAYMENT_ANSWERS, OPERATOR_PAYMENT_REQUESTS } from "./examples/operator-payment-examples.ts";
import {
  OPERATOR_SETTLEMENT_ANSWERS,
  OPERATOR_SETTLEMENT_REQUESTS,
} from "./examples/operator-settlement-examples.ts";
import { OPERATOR_WEBHOOK_ANSWERS, OPERATOR_WEBHOOK_REQUESTS } from "./examples/operator-webhook-examples.ts";
import { ENDPOINTS } from "./operations/endpoints.ts";
import { staffEndpointOf } from "./operations/staff-endpoints.ts";

/** Examples of the OpenAPI documents. Tests send the same bodies, and compare each example with its schema. */

type Answers = Readonly<Record<string, Readonly<Record<number, object>>>>;

const REQUESTS: Readonly<Record<string, object>> = {
  ...MERCHANT_REQUESTS,
  ...OPERATOR_MERCHANT_REQUESTS,
  ...OPERATOR_PAYMENT_REQUESTS,
  ...OPERATOR_SETTLEMENT_REQUESTS,
  ...OPERATOR_WEBHOOK_REQUESTS,
};
const ANSWERS: Answers = {
  ...MERCHANT_ANSWERS,
  ...OPERATOR_MERCHANT_ANSWERS,
  ...OPERATOR_PAYMENT_ANSWERS,
  ...OPERATOR_SETTLEMENT_ANSWERS,
  ...OPERATOR_WEBHOOK_ANSWERS,
};

/** The operations that merchants' staff have too, with their names there. */
const OF_STAFF = ENDPOINTS.flatMap((endpoint) => {
  const staff = staffEndpointOf(endpoint);
  return staff ? [[endpoint.operationId, staff.operationId] as const] : [];
});

/** The body of each operation that takes one as JSON, by its name. */
export const REQUEST_EXAMPLES = withStaff(REQUESTS, withoutMerchant);

/** The answer of each operation that succeeds, by its name and the status. */
export const ANSWER_EXAMPLES = withStaff(ANSWERS, (answers) => answers);

function withStaff<T>(examples: Readonly<Record<string, T>>, asStaff: (example: T) => T) {
  const found = OF_STAFF.flatMap(([name, staffName]) => {
    const example = examples[name];
    return example === undefined ? [] : [[staffName, asStaff(example)] as const];
  });
  return { ...examples, ...Object.fromEntries(found) } as Readonly<Record<string, T>>;
}

/** A staff member's request names no merchant (`staffEndpoint`). */
function withoutMerchant(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== "merchantId"));
}
