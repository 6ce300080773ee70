import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { ListTable } from "./list-statement.ts";
import type { FilterName } from "./plan-list.ts";

/** The expression that a filter compares, and the type of the given value. */
type Comparison = {
  expression: RawBuilder<unknown>;
  type: RawBuilder<unknown>;
  /** A column that few rows have; its index leaves the others out. */
  isOptional?: boolean;
  operator?: RawBuilder<unknown>;
};

/** The filter as the leading column of an index. */
export function keyOf(table: ListTable, name: FilterName): Comparison {
  return COMPARISONS[name](table);
}

/** The filter as a condition on a row. */
export function conditionOf(table: ListTable, name: FilterName, value: string): RawBuilder<SqlBool> {
  const { expression, type, operator = sql`=` } = COMPARISONS[name](table);
  const compared =
    operator === AT_LEAST || operator === AT_MOST ? inMinorUnits(value) : sql`${value}::${type}`;
  return sql<SqlBool>`${expression} ${operator} ${compared}`;
}

const AT_LEAST = sql`>=`;
const AT_MOST = sql`<=`;
const text = sql`text`;
const uuid = sql`uuid`;

const COMPARISONS: Record<FilterName, (table: ListTable) => Comparison & { operator?: RawBuilder<unknown> }> =
  {
    merchantId: () => ({ expression: sql`merchant_id`, type: uuid }),
    parentPaymentId: () => ({ expression: sql`payment_id`, type: uuid }),
    externalTransactionId: () => ({ expression: sql`external_transaction_id`, type: text, isOptional: true }),
    orderId: () => ({ expression: sql`order_id`, type: text }),
    authCode: () => ({ expression: sql`auth_code`, type: text, isOptional: true }),
    customerId: () => ({ expression: sql`customer_id`, type: text, isOptional: true }),
    last4: () => ({ expression: sql`right(masked_pan, 4)`, type: text }),
    bin: () => ({ expression: sql`left(masked_pan, 6)`, type: text }),
    status: ({ status }) => ({ expression: status, type: text }),
    transactionType: ({ transactionType }) => ({ expression: transactionType, type: text }),
    accountId: () => ({ expression: sql`account_id`, type: uuid }),
    currency: () => ({ expression: sql`currency`, type: text }),
    amountFrom: () => ({ expression: sql`amount_minor`, type: text, operator: AT_LEAST }),
    amountTo: () => ({ expression: sql`amount_minor`, type: text, operator: AT_MOST }),
  };

/** Exact minor units, in each row's own currency. */
function inMinorUnits(amount: string): RawBuilder<unknown> {
  return sql`${amount}::numeric * power(10::numeric, currency_exponent)`;
}
