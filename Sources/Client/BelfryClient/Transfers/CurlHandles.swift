internal import CCurl

/// One transfer of libcurl; only its loop's thread uses it.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    /// The headers of the request, which libcurl does not copy.
    private var list: UnsafeMutablePointer<curl_slist>?
    /// The buffer into which libcurl writes the details of an error.
    private let text = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init() {
        guard let pointer = curl_easy_init() else {
            preconditionFailure("libcurl has no memory for a transfer")
        }
        self.pointer = pointer
        text.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        check(belfry_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, text), CURLOPT_ERRORBUFFER)
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(list)
        text.deallocate()
    }

    /// The details of an error in libcurl's words; empty if it gave none.
    var detail: String { String(cString: text) }

    func set(_ option: CURLoption, _ value: Int) {
        check(belfry_curl_set_number(pointer, option, value), option)
    }

    func set(_ option: CURLoption, _ text: String) {
        check(belfry_curl_set_text(pointer, option, text), option)
    }

    func set(headers: [String]) {
        for header in headers { list = curl_slist_append(list, header) }
        check(belfry_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, list), CURLOPT_HTTPHEADER)
    }

    /// Trusts the authorities of this file, and no longer those of the system, which have a file and
    /// a folder.
    func set(authorities file: String) {
        set(CURLOPT_CAINFO, file)
        check(belfry_curl_set_pointer(pointer, CURLOPT_CAPATH, nil), CURLOPT_CAPATH)
    }

    /// The same options are set for every transfer: a refusal is a libcurl that lacks one.
    private func check(_ code: CURLcode, _ option: CURLoption) {
        precondition(
            code == CURLE_OK,
            "libcurl refuses option \(option.rawValue): \(String(cString: curl_easy_strerror(code)))"
        )
    }

    /// Lets a paused transfer go on.
    func resume() { curl_easy_pause(pointer, CURLPAUSE_CONT) }
}

/// All transfers of one loop, as libcurl has them.
///
/// `@unchecked`: only the loop's thread uses it, but for ``wake()``, which libcurl allows on any.
final class MultiHandle: @unchecked Sendable {
    /// libcurl's own tables are made before the first handle, once for the process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let pointer: UnsafeMutableRawPointer

    init() {
        guard Self.isReady, let pointer = curl_multi_init() else {
            preconditionFailure("libcurl has no memory for its tables")
        }
        self.pointer = pointer
    }

    deinit { curl_multi_cleanup(pointer) }

    /// Ends the wait of now, or the next one.
    func wake() { curl_multi_wakeup(pointer) }

    func add(_ easy: EasyHandle) { curl_multi_add_handle(pointer, easy.pointer) }

    func remove(_ easy: EasyHandle) { curl_multi_remove_handle(pointer, easy.pointer) }

    /// Reads and writes all bytes that need no waiting.
    func perform() {
        var running: Int32 = 0
        curl_multi_perform(pointer, &running)
    }

    /// A transfer that has ended and was not told of, and how.
    func nextEnded() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var code = CURLE_OK
        return belfry_curl_next_ended(pointer, &code).map { ($0, code) }
    }

    /// Waits until something can be read or written, or ``wake()``.
    func wait(milliseconds: Int) {
        curl_multi_poll(pointer, nil, 0, Int32(milliseconds), nil)
    }
}
