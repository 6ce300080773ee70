-- Whoever verifies the audit log reads it, and nothing else. The installation has made the role.
grant select on audit_entry to holdfast_auditor;
