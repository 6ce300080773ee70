-- Deliveries that are pending name their endpoint: until now each merchant had the default one only. This is a migration of
-- its own, so that the locks of the one before do not last as long as this takes.
update delivery set endpoint_id = merchant_id where endpoint_id is null;
