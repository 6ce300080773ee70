-- What test mode does moves no money, and no bank reports it: none of it is a fact, whichever version records it. A
-- merchant's id of test mode has version 8.
set local lock_timeout = '3s';
-- contract: the version before has no ids of version 8, and gives up an event that this refuses
alter table fact add constraint fact_is_live check (uuid_extract_version(merchant_id) is distinct from 8) not valid;
