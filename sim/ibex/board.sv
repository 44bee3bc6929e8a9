// Ibex in its maxperf-pmp configuration (three stages, single-cycle multiplier, 16 PMP regions).
// Everything around the core is the C++ harness, which the one function below calls each cycle.
module board (
    input logic clk,
    input logic reset
);
    import "DPI-C" function void board_cycle(
        input  bit          instr_request,
        input  int unsigned instr_address,
        input  bit          data_request,
        input  bit          data_write,
        input  int unsigned data_enable,
        input  int unsigned data_address,
        input  int unsigned data_value,
        input  bit          retired,
        input  int unsigned pc,
        input  int unsigned privilege,
        input  bit          waits_for_fetch,
        input  bit          waits_for_data,
        input  bit          asleep,
        output bit          instr_grant,
        output bit          instr_valid,
        output bit          instr_error,
        output int unsigned instr_word,
        output bit          data_grant,
        output bit          data_valid,
        output bit          data_error,
        output int unsigned data_word,
        output bit          software_interrupt,
        output bit          timer_interrupt,
        output bit          external_interrupt
    );

    // What is asked of a core that has stopped: its registers, and the address of the first instruction that has not
    // retired. The last stage writes registers, so that those are as before that one.
    export "DPI-C" function core_register;
    export "DPI-C" function core_pc;

    function int unsigned core_register(input int unsigned number);
        return core.gen_regfile_ff.register_file_i.rf_reg[number[4:0]];
    endfunction

    function int unsigned core_pc();
        if (core.u_ibex_core.wb_stage_i.g_writeback_stage.wb_valid_q) return core.u_ibex_core.pc_wb;
        if (core.u_ibex_core.instr_valid_id) return core.u_ibex_core.pc_id;
        return core.u_ibex_core.pc_if;
    endfunction

    // The first instruction is at boot_addr_i + 0x80; the harness knows the same number.
    localparam logic [31:0] BOOT_ADDRESS = 32'h0000_1000;

    logic        instr_request, data_request, data_write;
    logic [31:0] instr_address, data_address, data_value;
    logic [ 3:0] data_enable;
    logic        asleep;

    bit          instr_grant, instr_valid, instr_error;
    bit          data_grant, data_valid, data_error;
    int unsigned instr_word, data_word;
    bit          software_interrupt, timer_interrupt, external_interrupt;

    // The harness' answers belong to the cycle that begins with this edge, as a register's would.
    bit          next_instr_grant, next_instr_valid, next_instr_error;
    bit          next_data_grant, next_data_valid, next_data_error;
    int unsigned next_instr_word, next_data_word;
    bit          next_software, next_timer, next_external;

    // What keeps the decode stage from handing an instruction on shows in the last stage a cycle later.
    logic        decode_waited_for_fetch, decode_waited_for_data;

    always @(posedge clk) begin
        decode_waited_for_fetch <= core.u_ibex_core.perf_iside_wait;
        decode_waited_for_data  <= core.u_ibex_core.perf_dside_wait;
        if (!reset) begin
            board_cycle(
                instr_request, instr_address,
                data_request, data_write, {28'b0, data_enable}, data_address, data_value,
                core.u_ibex_core.perf_instr_ret_wb, core.u_ibex_core.pc_wb,
                {30'b0, core.u_ibex_core.priv_mode_id}, decode_waited_for_fetch,
                !core.u_ibex_core.ready_wb || decode_waited_for_data, asleep,
                next_instr_grant, next_instr_valid, next_instr_error, next_instr_word,
                next_data_grant, next_data_valid, next_data_error, next_data_word,
                next_software, next_timer, next_external
            );
            instr_grant        <= next_instr_grant;
            instr_valid        <= next_instr_valid;
            instr_error        <= next_instr_error;
            instr_word         <= next_instr_word;
            data_grant         <= next_data_grant;
            data_valid         <= next_data_valid;
            data_error         <= next_data_error;
            data_word          <= next_data_word;
            software_interrupt <= next_software;
            timer_interrupt    <= next_timer;
            external_interrupt <= next_external;
        end
    end

    ibex_top #(
        .PMPEnable      (1'b1),
        .PMPGranularity (0),
        .PMPNumRegions  (16),
        .RV32M          (ibex_pkg::RV32MSingleCycle),
        .RV32B          (ibex_pkg::RV32BNone),
        .RegFile        (ibex_pkg::RegFileFF),
        .BranchTargetALU(1'b1),
        .WritebackStage (1'b1)
    ) core (
        .clk_i                 (clk),
        .rst_ni                (!reset),
        .test_en_i             (1'b0),
        .scan_rst_ni           (1'b1),
        .ram_cfg_i             ('0),
        .hart_id_i             (32'b0),
        .boot_addr_i           (BOOT_ADDRESS),
        .instr_req_o           (instr_request),
        .instr_gnt_i           (instr_grant),
        .instr_rvalid_i        (instr_valid),
        .instr_addr_o          (instr_address),
        .instr_rdata_i         (instr_word),
        .instr_rdata_intg_i    ('0),
        .instr_err_i           (instr_error),
        .data_req_o            (data_request),
        .data_gnt_i            (data_grant),
        .data_rvalid_i         (data_valid),
        .data_we_o             (data_write),
        .data_be_o             (data_enable),
        .data_addr_o           (data_address),
        .data_wdata_o          (data_value),
        .data_wdata_intg_o     (),
        .data_rdata_i          (data_word),
        .data_rdata_intg_i     ('0),
        .data_err_i            (data_error),
        .irq_software_i        (software_interrupt),
        .irq_timer_i           (timer_interrupt),
        .irq_external_i        (external_interrupt),
        .irq_fast_i            (15'b0),
        .irq_nm_i              (1'b0),
        .scramble_key_valid_i  (1'b0),
        .scramble_key_i        ('0),
        .scramble_nonce_i      ('0),
        .scramble_req_o        (),
        .debug_req_i           (1'b0),
        .crash_dump_o          (),
        .double_fault_seen_o   (),
        .fetch_enable_i        (ibex_pkg::IbexMuBiOn),
        .alert_minor_o         (),
        .alert_major_internal_o(),
        .alert_major_bus_o     (),
        .core_sleep_o          (asleep)
    );
endmodule
