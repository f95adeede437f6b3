import { isOnCitus } from '../support/database-nodes.ts'

const [LOCK_TIMEOUT, SHORT_LOCK_TIMEOUT] = ['SET LOCAL lock_timeout = n', "SET LOCAL lock_timeout = 'ns'"]
const SHORT_SILENCE = "SET LOCAL idle_in_transaction_session_timeout = 'ns'"

/** In one transaction, with its answer. */
const SCHEMA_WITH_KEY = {
  BEGIN: 1,
  hold_idempotency_key: 1,
  find_keyed_answer: 1,
  insert_claim_schema: 1,
  store_keyed_answer: 1,
  COMMIT: 1,
}

/**
 * What each operation sends to the database when nothing is wrong, and how often. Every statement here is struck by
 * faults; one that an operation sends and that is missing here fails the tests.
 */
export const STATEMENTS = {
  'a scheduled check': {
    BEGIN: 4,
    take_check_turns: 1,
    take_back_totals: 1,
    COMMIT: 4,
    list_due: 1,
    read_due_kinds: 2,
    hold_totals_before: 2,
    move_kinds: 2,
  },
  'sending webhooks': {
    find_free_webhook_endpoints: 1,
    find_news_of_changes: 1,
    take_webhook_endpoint: 1,
    read_due_deliveries: 1,
    read_settled: 1,
    read_feed_asc_changes_after: 1,
    read_removed_notifications: 1,
    read_subjects: 1,
    append_webhook_deliveries: 1,
    record_webhook_attempts: 1,
    note_webhook_failure: 1,
    note_webhook_success: 1,
    release_webhook_endpoints: 1,
  },
  'disabling a webhook endpoint': {
    BEGIN: 1,
    announce_notifications: 1,
    disable_webhook_endpoint: 1,
    notify_of_other: 1,
    COMMIT: 1,
  },
  'summing up': {
    BEGIN: 1,
    hold_checks: 1,
    read_resolution_span: 1,
    add_to_resolution_totals: 1,
    add_to_resolution_durations: 1,
    move_resolution_mark: 1,
    COMMIT: 1,
  },
  'moving contracts': {
    BEGIN: 2,
    take_contract_moves: 2,
    move_contracts: 2,
    note_contract_moves: 2,
    COMMIT: 2,
  },
  'removing unused contracts': {
    find_unused_contracts: 1,
    find_contract_uses: 2,
    keep_contracts: 1,
    remove_contracts: 1,
  },
  'removing old notifications': {
    BEGIN: 2,
    find_old_notifications_of_changes: 1,
    note_removed_notifications_of_changes: 1,
    remove_notifications_of_changes: 1,
    find_old_notifications_of_events: 1,
    note_removed_notifications_of_events: 1,
    remove_notifications_of_events: 1,
    COMMIT: 2,
  },
  'archiving claims': {
    take_archive_turn: 3,
    list_accounts: 2,
    read_resolution_mark: 2,
    find_claims_to_archive: 2,
    find_awaited_claims: 1,
    read_whole_claims: 1,
    read_whole_logs: 1,
    note_archive_file: 1,
    mark_contracts_of_archived: 1,
    read_clock: 3,
    BEGIN: 1,
    keep_archived_claims: 1,
    remove_archived_claims: 1,
    remove_archived_logs: 1,
    remove_archived_metadata: 1,
    COMMIT: 1,
    release_archive_turn: 1,
  },
  'restoring a claim': {
    find_archived_claims: 1,
    find_archive_files: 1,
    store_restored_contract: 1,
    BEGIN: 1,
    note_restored_claim: 1,
    insert_restored_claim: 1,
    remove_pairs_of_claims: 1,
    add_pairs_of_claims: 1,
    insert_restored_events: 1,
    COMMIT: 1,
    read_clock: 1,
  },
  'a group of live claims and clocks': {
    read_claims_to_decide: 2,
    read_events: 1,
    append_events: 1,
    append_events_on_test_clocks: 1,
  },
  'a group in which the database does not take one event': {
    read_claims_to_decide: 4,
    append_events: 6,
    append_events_on_test_clocks: 1,
  },
  'submissions to a claim whose log is long': {
    read_claims_to_decide: 1,
    read_long_log: 1,
    read_evidence: 1,
    append_events: 1,
  },
  'submissions whose clock is held': {
    read_claims_to_decide: 2,
    append_events_on_test_clocks: 2,
    find_free_test_clocks: 1,
  },
  'creating claims': {
    find_customers: 1,
    find_test_clocks: 1,
    find_contracts: 1,
    insert_claims_with_metadata: 1,
    insert_claims_on_test_clock_with_metadata: 1,
  },
  'creating claims with a key': {
    begin_idempotency_keys: 1,
    find_customers: 1,
    find_test_clocks: 1,
    find_contracts: 1,
    insert_claims: 1,
    insert_claims_on_test_clock: 1,
  },
  'creating candidates': {
    find_customers_by_external_id: 1,
    find_test_clocks: 1,
    find_contracts: 1,
    insert_claims: 1,
    insert_claims_on_test_clock: 1,
  },
  'creating what claims need': { insert_customers: 1, insert_claim_schema: 1, insert_test_clock: 1 },
  'creating a schema with a key': SCHEMA_WITH_KEY,
  'changing a schema': { update_claim_schema: 1 },
  'changing metadata': {
    BEGIN: 2,
    [SHORT_LOCK_TIMEOUT]: 2,
    [SHORT_SILENCE]: 2,
    find_clock_of_claim: 1,
    hold_claim: 1,
    set_metadata: 1,
    remove_pairs_of_claims: 1,
    add_pairs_of_claims: 1,
    read_noted_claim: 1,
    hold_customer: 1,
    change_customer: 1,
    remove_pairs_of_customers: 1,
    add_pairs_of_customers: 1,
    COMMIT: 2,
  },
  'an advance of a test clock': {
    BEGIN: 1,
    "SELECT set_config('lock_timeout', $n, true)": 1,
    hold_test_clock: 1,
    'SET LOCAL lock_timeout = n': 1,
    announce_notifications: 1,
    find_due_claims_on_test_clock: 2,
    apply_moves: 2,
    set_test_clock: 1,
    notify_of_other: 1,
    COMMIT: 1,
  },
  'the deletion of a test clock': {
    BEGIN: 1,
    "SELECT set_config('lock_timeout', $n, true)": 1,
    hold_test_clock: 1,
    'SET LOCAL lock_timeout = n': 1,
    delete_test_clock_events: 1,
    delete_test_clock_metadata: 1,
    delete_test_clock_notifications: 1,
    delete_test_clock_own_notifications: 1,
    delete_test_clock_claims: 1,
    delete_test_clock: 1,
    COMMIT: 1,
  },
  'the revocation of a token': {
    BEGIN: 1,
    revoke_api_token: 1,
    "SELECT currval('token_revocations')::integer AS number": 1,
    COMMIT: 1,
    'SELECT pg_advisory_lock_shared($n, $n)': 1,
    count_servers_behind: 1,
  },
  'the revocation of a session with its token': {
    BEGIN: 1,
    delete_session: 1,
    revoke_tokens_of_sessions: 1,
    COMMIT: 1,
    find_last_revocation: 1,
    'SELECT pg_advisory_lock_shared($n, $n)': 1,
    count_servers_behind: 1,
  },
  'listening for revocations': {
    'SET synchronous_commit = off': 1,
    'LISTEN claimkeeper_revocations': 1,
    'SELECT last_value * is_called::integer AS number FROM token_': 1,
    'SELECT pg_advisory_lock_shared($n, $n)': 1,
  },
  'a request of a token that is not remembered': { find_token_owner: 1, find_account: 1, touch_api_token: 1 },
  readiness: {
    read_schema_version: 1,
    BEGIN: 1,
    "SET LOCAL temp_tablespaces = ''": 1,
    try_write: 1,
    COMMIT: 1,
  },
} satisfies Record<string, Record<string, number>>

/** They have the four shards: a batch of the check is of one of them; the claims on a test clock are in all. */
const MACHINES = 2

/** The same of operations that send others where tables are distributed: the tests have claims of one machine in a group. */
const ON_SHARDS: Partial<Record<keyof typeof STATEMENTS, Record<string, number>>> = {
  'archiving claims': {
    take_archive_turn: 3,
    list_accounts: 2,
    read_resolution_mark: 2,
    find_claims_to_archive: 2,
    find_awaited_claims: 1,
    read_whole_claims: 1,
    read_whole_logs: 1,
    note_archive_file: 1,
    mark_contracts_of_archived_on_machines: 1,
    read_clock: 4,
    BEGIN: 1,
    keep_archived_claims: 1,
    remove_archived_claims: 1,
    remove_archived_logs: 1,
    remove_archived_metadata: 1,
    COMMIT: 1,
    release_archive_turn: 1,
  },
  'disabling a webhook endpoint': {
    BEGIN: 1,
    announce_notifications: 1,
    disable_webhook_endpoint: 1,
    notify_of_other: 1,
    announce_on_machine: 1,
    COMMIT: 1,
  },
  'sending webhooks': {
    find_free_webhook_endpoints: 1,
    find_news_on_machines_of_changes: 1,
    take_webhook_endpoint: 1,
    read_due_deliveries: 1,
    read_settled_here: 1,
    read_settled_on_machines: 1,
    read_feed_asc_changes_after: 1,
    read_removed_notifications: 1,
    read_subjects: 1,
    append_webhook_deliveries: 1,
    record_webhook_attempts: 1,
    note_webhook_failure: 1,
    note_webhook_success: 1,
    release_webhook_endpoints: 1,
  },
  'a scheduled check': {
    BEGIN: 2 + MACHINES,
    take_check_turns: 1,
    take_back_totals: 1,
    COMMIT: 2 + MACHINES,
    list_due: 1,
    read_due_kinds: MACHINES,
    hold_totals_before: MACHINES,
    [LOCK_TIMEOUT]: MACHINES,
    move_kinds_in_shards: MACHINES,
    announce_and_take_numbers: MACHINES,
    notify_of_kinds_in_shards: MACHINES,
  },
  'a group of live claims and clocks': {
    read_claims_to_decide: 2,
    read_events: 1,
    BEGIN: 1,
    read_live_clock: 1,
    hold_test_clocks: 1,
    write_to_shards: 2,
    COMMIT: 1,
  },
  'a group in which the database does not take one event': {
    read_claims_to_decide: 4,
    BEGIN: 1,
    read_live_clock: 6,
    hold_test_clocks: 1,
    write_to_shards: 7,
    COMMIT: 1,
  },
  'submissions to a claim whose log is long': {
    read_claims_to_decide: 1,
    read_long_log: 1,
    read_evidence: 1,
    read_live_clock: 1,
    write_to_shards: 1,
  },
  'submissions whose clock is held': {
    read_claims_to_decide: 2,
    BEGIN: 2,
    hold_test_clocks: 2,
    find_free_test_clocks: 1,
    write_to_shards: 1,
    COMMIT: 2,
  },
  'creating claims': {
    find_customers: 1,
    find_test_clocks: 1,
    find_next_due: 1,
    find_contracts: 1,
    find_stored_contracts: 2,
    BEGIN: 4,
    [SHORT_LOCK_TIMEOUT]: 2,
    store_contracts: 2,
    take_positions: 1,
    take_positions_on_test_clock: 1,
    insert_in_shards: 2,
    announce_and_take_numbers: 2,
    notify_in_shards: 2,
    COMMIT: 4,
  },
  // Their ids may be of any shards.
  'creating claims with a key': {},
  'creating candidates': {
    find_customers_by_external_id: 1,
    find_test_clocks: 1,
    find_next_due: 1,
    find_contracts: 1,
    find_stored_contracts: 2,
    find_known_claims: 2,
    BEGIN: 4,
    [SHORT_LOCK_TIMEOUT]: 4,
    store_contracts: 2,
    take_positions: 1,
    take_positions_on_test_clock: 1,
    insert_in_shards: 2,
    announce_and_take_numbers: 2,
    notify_in_shards: 2,
    COMMIT: 4,
  },
  'creating a schema with a key': SCHEMA_WITH_KEY,
  'creating what claims need': {
    insert_customers: 1,
    insert_claim_schema: 1,
    insert_test_clock: 1,
  },
  'an advance of a test clock': {
    BEGIN: 1,
    "SELECT set_config('lock_timeout', $n, true)": 1,
    hold_test_clock: 1,
    [LOCK_TIMEOUT]: 1,
    commit_in_two_phases: 1,
    find_next_due: 2,
    announce_notifications: 1,
    find_due_claims_on_test_clock: 2,
    write_to_shards: 2 * MACHINES,
    take_numbers: 2,
    notify_in_shards: 2 * MACHINES,
    announce_on_machine: 1,
    set_test_clock: 1,
    notify_of_other: 1,
    COMMIT: 1,
  },
  'the deletion of a test clock': {
    BEGIN: 1,
    "SELECT set_config('lock_timeout', $n, true)": 1,
    hold_test_clock: 1,
    [LOCK_TIMEOUT]: 1,
    find_next_due: 1,
    delete_test_clock_events: 1,
    delete_test_clock_metadata: 1,
    delete_test_clock_notifications: 1,
    delete_test_clock_own_notifications: 1,
    delete_test_clock_claims_in_shards: 1,
    read_clock: 1,
    commit_in_two_phases: 1,
    mark_unused_contracts: 1,
    delete_test_clock: 1,
    COMMIT: 1,
  },
}

/** What the operation sends in this run. */
export const statementsOf = (name: keyof typeof STATEMENTS): Record<string, number> =>
  (isOnCitus() ? ON_SHARDS[name] : undefined) ?? STATEMENTS[name]

/** All that are struck, in one run or another. */
export const STRUCK: readonly string[] = [STATEMENTS, ON_SHARDS].flatMap((table) =>
  Object.values(table).flatMap((some) => Object.keys(some)),
)

/** Named statements that no claim, event or sum depends on. */
export const NOT_STRUCK = {
  'they only read: an answer that does not come changes nothing':
    'read_long_parts read_metadata read_customer_metadata begin_overview find_creations find_idempotency_keys read_stored_contracts read_event_types find_newest_claims count_claims count_claims_up_to count_found_customers find_stop_of_customers find_stop_of_claims select_claims find_claim_from find_alias_owners find_archived_position find_api_token find_claim find_claim_position find_claim_schema find_claim_schema_version ' +
    'find_customer find_customer_position find_delivery_number_before find_open_invitation find_overdue find_search_span find_session find_test_clock_position find_time_zone share_test_clock ' +
    'find_user_by_email find_webhook_delivery find_webhook_endpoints has_password list_accounts list_api_tokens list_api_tokens_of list_claim_schema_versions list_claim_schemas list_claims ' +
    'list_customers list_due_next list_due_where_reached list_invitations_of list_recent list_test_clocks list_users ' +
    'list_all_webhook_endpoints list_archive_files list_webhook_deliveries read_webhook_endpoints read_webhook_place ' +
    'median_of_claims median_of_classes read_claim_and_log read_contracts ' +
    'read_decisive_events read_feed read_log_end read_log_page read_notification_settings read_payloads read_delivery_lag read_feed_lag read_overdue_lag read_secret round_trip read_settled_here read_settled_on_machines read_shards read_short_claims read_told_events read_told_events_on_machines ' +
    'read_unsafe_settings read_unsafe_settings_of_machines list_waiting_migrations read_index_phase read_index_state read_shards_with_index ' +
    'count_claims draw_claims read_claims_after read_endpoints_to_hold read_last_event read_last_notification read_links read_lives ' +
    'read_sequences read_server_facts read_tables_to_back_up search_claims tally_resolved tally_unresolved',
  'they are one statement of a request that may be sent again':
    'ask_for_deliveries_again ask_for_delivery_again delete_webhook_endpoint insert_webhook_endpoint replace_webhook_secret ' +
    'update_webhook_endpoint write_notification_settings ' +
    'count_attempt delete_claim_schema delete_expired_sessions delete_expired_throttles ' +
    'delete_sessions_of forget_attempts forget_ended_invitations forget_ended_tokens remove_old_idempotency_keys rename_user replace_password revoke_invitation_of ' +
    'revoke_invitations_to set_password share_secret update_account',
  'they are one statement that a server sends again in its own time':
    'pause_webhook_endpoint remove_webhook_deliveries remove_webhook_endpoint',
  'they make accounts, invitations and tokens, in one transaction, of which nothing is left where it fails':
    'delete_other_sessions insert_api_token insert_invitation insert_user use_invitation',
} as const
