import { context, createContextKey, ROOT_CONTEXT, trace, type Context } from "@opentelemetry/api";

/**
 * Runs one statement for several units of work, in the context of the first one that has a trace. It carries
 * the other units' contexts along, so each of their traces gets a span for the statement.
 */
export function inBatchContext<Result>(members: Context[], work: () => Result): Result {
  const bySpan = new Map(members.map((member) => [trace.getSpan(member), member]));
  bySpan.delete(undefined);
  const [first, ...others] = bySpan.values();
  // The unit that adds to a batch and the one that flushes it differ, so the flush must not run in the
  // context of a bystander.
  if (!first) return outsideTraces(work);
  return context.with(others.length > 0 ? first.setValue(OTHERS, others) : first, work);
}

/** Runs upkeep that is started on the way of a unit of work and belongs to none. */
export function outsideTraces<Result>(work: () => Result): Result {
  return context.with(ROOT_CONTEXT, work);
}

/** The contexts that share the active one's work. */
export function otherMembers(): Context[] {
  return (context.active().getValue(OTHERS) as Context[] | undefined) ?? [];
}

const OTHERS = createContextKey("holdfast: other members of the batch");
