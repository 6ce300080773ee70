-- Facts of before are compared in a transaction of their own, which lets facts be written meanwhile.
alter table fact validate constraint fact_is_live;
