/**
 * From one gateway to all of them: a merchant's credentials or state have changed, so forget what is cached of them. Not
 * an event of the stream: who misses it learns the change when the cache's entry is too old.
 */
export const CREDENTIALS_CHANGED_SUBJECT = "gateway.credentials.changed";
