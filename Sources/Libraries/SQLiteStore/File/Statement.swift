internal import CSQLite
internal import Topics

/// One prepared statement: the owner of its `sqlite3_stmt`, used on the thread of its database.
///
/// Parameters are counted from 1 and columns from 0, as SQLite does.
final class Statement {
    private let database: Database
    private let pointer: OpaquePointer

    init(_ sql: String, on database: Database) throws(DatabaseError) {
        self.database = database
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        try database.check(
            sqlite3_prepare_v3(database.pointer, sql, -1, flags, &prepared, nil))
        guard let prepared else { preconditionFailure("there is no statement in `\(sql)`") }
        pointer = prepared
    }

    deinit {
        sqlite3_finalize(pointer)
    }

    // MARK: Parameters

    func bind(_ value: Int64, at index: Int32) {
        sqlite3_bind_int64(pointer, index, value)
    }

    func bind(_ value: Int64?, at index: Int32) {
        if let value { bind(value, at: index) } else { sqlite3_bind_null(pointer, index) }
    }

    func bind(_ id: EventID, at index: Int32) {
        bind(Int64(id.rawValue), at: index)
    }

    /// Binds a copy of a text.
    func bind(_ text: String?, at index: Int32) {
        guard var text else {
            sqlite3_bind_null(pointer, index)
            return
        }
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text64(
                    pointer, index, $0.baseAddress, UInt64($0.count), Thunks.copied,
                    UInt8(SQLITE_UTF8))
            }
        }
    }

    /// Binds the bytes themselves: the payload is kept by the caller until the next `run`.
    func bind(_ payload: Payload, at index: Int32) {
        let bytes = payload.bytes
        sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), nil)
    }

    // MARK: Running

    /// Goes to the next row. Returns whether there is one; if not, the statement begins anew.
    func step() throws(DatabaseError) -> Bool {
        let code = sqlite3_step(pointer)
        if code == SQLITE_ROW { return true }
        sqlite3_reset(pointer)
        guard code == SQLITE_DONE else {
            throw DatabaseError(code: code, connection: database.pointer)
        }
        return false
    }

    /// Runs a statement that returns nothing, or whose first row is enough.
    func run() throws(DatabaseError) {
        if try step() { reset() }
    }

    /// Lets go of the row and its locks; the next step begins anew.
    func reset() {
        sqlite3_reset(pointer)
    }

    // MARK: Columns

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(pointer, column) == SQLITE_NULL
    }

    /// A number that SQLite counted itself; one of the file is read by its ``NumberColumn``.
    func integer(_ index: Int32) -> Int64 {
        sqlite3_column_int64(pointer, index)
    }

    /// A number of the file.
    ///
    /// - Throws: The error of a damaged file, where the column may not hold the number.
    func integer(_ index: Int32, _ column: NumberColumn) throws(DatabaseError) -> Int64 {
        guard !isOutOfRange(index, column) else { throw damaged(index, column) }
        return integer(index)
    }

    private func damaged(_ index: Int32, _ column: NumberColumn) -> DatabaseError {
        .damaged(
            "a row of \(column.table) has \(column.name) \((text(index) ?? "nothing").prefix(40)), "
                + "and not \(column.allowed)")
    }

    /// Whether a column holds a value that it may not hold.
    func isOutOfRange(_ index: Int32, _ column: NumberColumn) -> Bool {
        switch sqlite3_column_type(pointer, index) {
        case SQLITE_INTEGER: !column.range.contains(integer(index))
        case SQLITE_NULL: !column.isOptional
        default: true
        }
    }

    func optionalInteger(_ index: Int32, _ column: NumberColumn) throws(DatabaseError) -> Int64? {
        let value = try integer(index, column)
        return isNull(index) ? nil : value
    }

    func flag(_ index: Int32, _ column: NumberColumn) throws(DatabaseError) -> Bool {
        try integer(index, column) != 0
    }

    /// - Parameter column: One of ids.
    func id(_ index: Int32, _ column: NumberColumn) throws(DatabaseError) -> EventID {
        EventID(rawValue: UInt64(try integer(index, column)))
    }

    func time(_ index: Int32, _ column: NumberColumn) throws(DatabaseError) -> Timestamp {
        Timestamp(microseconds: try integer(index, column))
    }

    func user(_ index: Int32, _ column: NumberColumn) throws(DatabaseError) -> UInt32? {
        try optionalInteger(index, column).map { UInt32($0) }
    }

    /// An id that a start has found valid. If it no longer is, this is the nearest valid id.
    func knownID(_ index: Int32) -> EventID {
        EventID(rawValue: min(UInt64(clamping: integer(index)), EventID.max.rawValue))
    }

    /// The time of an event that is only passed over, or that goes. If the file holds no valid
    /// time, this is the nearest valid one.
    func nearestTime(_ index: Int32) -> Timestamp {
        let range = NumberColumn.eventTime.range
        return Timestamp(
            microseconds: min(max(integer(index), range.lowerBound), range.upperBound))
    }

    func text(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(pointer, column) else { return nil }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// A copy of a blob.
    func payload(_ column: Int32) -> Payload {
        let bytes = sqlite3_column_blob(pointer, column)
        let count = Int(sqlite3_column_bytes(pointer, column))
        return Payload(copying: UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
