/** Has calls about one thing that come together share one outcome, so that any number of them costs as much as one. */
export function shareUnderWay<Result>(
  work: (id: string) => Promise<Result>,
): (id: string) => Promise<Result> {
  const underWay = new Map<string, Promise<Result>>();
  return (id) => {
    const shared = underWay.get(id) ?? work(id).finally(() => underWay.delete(id));
    underWay.set(id, shared);
    return shared;
  };
}
