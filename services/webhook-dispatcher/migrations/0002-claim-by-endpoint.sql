-- An index by time alone tempts the planner: it takes a million deliveries that wait for one dead merchant for the way to
-- the next due one of somebody else, and reads them all (a claim of 88: 1 962 ms; by endpoint: 3 ms).
drop index delivery_due;
